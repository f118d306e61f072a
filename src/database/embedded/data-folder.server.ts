import { mkdir, realpath } from "node:fs/promises";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { lockDataFolder } from "./data-folder-lock.server.ts";

/** A data folder that this process uses exclusively. */
export interface LockedFolder {
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
 * Creates the data folder if it is missing, and locks it.
 * @throws DatabaseStartError if it is not writable; DataFolderInUseError if another process holds the lock
 */
export async function openDataFolder(dataDir: string): Promise<LockedFolder> {
  try {
    await mkdir(dataDir, { recursive: true });
    const folder = await realpath(dataDir);
    return { folder, release: await lockDataFolder(folder) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const problem = problems[String(error.code)] ?? error.message;
    throw new DatabaseStartError(
      `The data folder ${dataDir} cannot be used (${problem}): set DATA_DIR to a folder that can be written to.`,
    );
  }
}
