import { mkdir, realpath } from "node:fs/promises";
import { DatabaseStartError } from "../startup-error.server.ts";
import { claimDataFolder } from "./data-folder-lock.server.ts";

/** A data folder that no other process uses. */
export interface ClaimedFolder {
  /** Absolute, without symbolic links. */
  folder: string;
  release: () => Promise<void>;
}

const problems: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "it is read-only",
  ENOTDIR: "it is not a folder",
  EEXIST: "it is not a folder",
  ENOSPC: "the disk is full",
};

/**
 * Makes the data folder where it is missing, and claims it.
 * @throws DatabaseStartError when it cannot be written to, or is in use
 */
export async function openDataFolder(dataDir: string): Promise<ClaimedFolder> {
  try {
    await mkdir(dataDir, { recursive: true });
    const folder = await realpath(dataDir);
    return { folder, release: await claimDataFolder(folder) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const problem = problems[String(error.code)] ?? error.message;
    throw new DatabaseStartError(
      `The data folder ${dataDir} cannot be used (${problem}): set DATA_DIR to a folder that can be written to.`,
    );
  }
}
