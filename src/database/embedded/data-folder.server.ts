import { existsSync } from "node:fs";
import { type FileHandle, mkdir, readFile, realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf, messageOf, OperatorError } from "../../lib/error-message.ts";
import { lockFile } from "./lock-file.server.ts";
import { embeddedPaths } from "./paths.server.ts";

export interface FolderOptions {
  /** In ms. How long to wait until another process releases the folder. */
  patience?: number;
  mustExist?: boolean;
}

export class DataFolderInUseError extends OperatorError {
  override name = "DataFolderInUseError";
  readonly holder: string;

  constructor(folder: string, holder: string) {
    super(
      `The data folder ${folder} is in use by another Front Row (${holder}): stop that one first, or set another DATA_DIR.`,
    );
    this.holder = holder;
  }
}

const problems: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "it is read-only",
  ENOTDIR: "it is not a folder",
  EEXIST: "it is not a folder",
  ENOSPC: "the disk is full",
};

/** Locks the folder until the release or the end of this process. @throws OperatorError */
export async function openDataFolder(dataDir: string, { patience = 0, mustExist = false }: FolderOptions) {
  const { appLock: usedBefore, cluster } = embeddedPaths(dataDir);
  const isMissing = () => mustExist && !existsSync(cluster);
  // With a lock file, another process may be creating the database.
  if (isMissing() && !existsSync(usedBefore)) throw noDatabase(dataDir);
  try {
    await mkdir(dataDir, { recursive: true });
    const folder = await realpath(dataDir);
    const { appLock } = embeddedPaths(folder);
    let lock = await lockFile(appLock);
    for (const since = performance.now(); lock === null && performance.now() - since < patience; ) {
      await pause(25);
      lock = await lockFile(appLock);
    }
    if (lock === null) throw new DataFolderInUseError(folder, await readFile(appLock, "utf8"));
    if (isMissing()) {
      await lock.close();
      throw noDatabase(dataDir);
    }
    await writeHolder(lock);
    return { folder, release: () => lock.close() };
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof OperatorError || code === "") throw error;
    const problem = problems[code] ?? messageOf(error);
    throw new OperatorError(
      `The data folder ${dataDir} cannot be used (${problem}): set DATA_DIR to a folder that can be written to.`,
    );
  }
}

function noDatabase(dataDir: string): OperatorError {
  return new OperatorError(
    `There is no database in ${dataDir}, and this command creates none: check DATA_DIR, or start the site first.`,
  );
}

/** Only for messages: a full disk must not prevent the start. */
async function writeHolder(lock: FileHandle): Promise<void> {
  try {
    await lock.truncate();
    await lock.write(`process ${process.pid} on ${hostname()}`, 0);
  } catch {}
}
