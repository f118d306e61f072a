import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A small file system that a test can fill. */
export interface SmallDisk {
  folder: string;
  /** Uses all free space. */
  fill(): Promise<void>;
  /** Frees that space again. */
  free(): Promise<void>;
  /** Unmounts it, also while it is in use. */
  close(): Promise<void>;
}

/** Whether this process may mount a file system: as root on Linux, but not in most containers. */
export function canMountDisks(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).status === 0;
  if (mounted) execFileSync("umount", [folder]);
  execFileSync("rmdir", [folder]);
  return mounted;
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder]);
  const filler = path.join(folder, "filler");
  return {
    folder,
    fill: () => fill(filler),
    free: () => rm(filler, { force: true }),
    async close() {
      execFileSync("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true });
    },
  };
}

async function fill(file: string): Promise<void> {
  const handle = await open(file, "a");
  try {
    for (const size of [1_048_576, 4_096]) await writeUntilFull(handle, Buffer.alloc(size));
  } finally {
    await handle.close();
  }
}

async function writeUntilFull(handle: Awaited<ReturnType<typeof open>>, part: Buffer): Promise<void> {
  try {
    for (;;) await handle.write(part);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
