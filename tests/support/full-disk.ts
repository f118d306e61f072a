import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const mount = (megabytes: number, folder: string) =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder]).status === 0;

/** Root on Linux may mount file systems, but not in most containers. */
export function canMountDisks(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-mount-"));
  const mounted = mount(1, folder);
  if (mounted) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

export function mountSmallDisk() {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-disk-"));
  if (!mount(128, folder)) throw new Error(`${folder} cannot be mounted`);
  const filler = path.join(folder, "filler");
  return {
    folder,
    fill() {
      for (const size of [1_048_576, 4_096])
        spawnSync("sh", ["-c", `while head -c ${size} /dev/zero >> ${filler}; do :; done`]);
    },
    free: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["--lazy", folder]); // also while it is in use
      rmSync(folder, { recursive: true });
    },
  };
}
