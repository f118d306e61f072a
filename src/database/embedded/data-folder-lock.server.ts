import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseStartError } from "../startup-error.server.ts";
import { processIdentity } from "./processes.server.ts";

/** Somebody else uses the data folder. */
export class DataFolderInUse extends DatabaseStartError {
  override name = "DataFolderInUse";
  readonly holder: number;

  constructor(folder: string, holder: number) {
    super(`The data folder ${folder} is in use by another Front Row (process ${holder}).`);
    this.holder = holder;
  }
}

/** Between two that start at the same time: how long the one with the lower number waits for the other to withdraw. */
const WITHDRAWAL_MS = 500;

/**
 * Makes this process the only user of a data folder, until it releases it or dies.
 *
 * A claim is an empty file whose name holds the process number and a digest of when that process started, so that no two
 * processes ever have the same one: anybody may remove a dead process's claim, at any moment. Everybody puts down a
 * claim before looking for others, so that of two at least one sees the other and never both go on.
 *
 * @returns the release
 * @throws DataFolderInUse
 */
export async function claimDataFolder(folder: string): Promise<() => Promise<void>> {
  const mine = path.join(folder, claimName(process.pid, await processIdentity(process.pid)));
  const release = () => rm(mine, { force: true });
  await writeFile(mine, "", { flag: "wx" }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new DataFolderInUse(folder, process.pid);
    }
    throw error;
  });
  try {
    await waitUntilAlone(folder, path.basename(mine));
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

async function waitUntilAlone(folder: string, mine: string): Promise<void> {
  const step = 25;
  for (let waited = 0; ; waited += step) {
    const other = await findClaimant(folder, mine);
    if (other === null) return;
    if (other < process.pid || waited >= WITHDRAWAL_MS) throw new DataFolderInUse(folder, other);
    await pause(step);
  }
}

/**
 * The number of a running process that claims the folder, if there is one; claims of dead processes go.
 * @param except a claim that does not count
 */
export async function findClaimant(folder: string, except?: string): Promise<number | null> {
  let claimant: number | null = null;
  for (const name of await readdir(folder)) {
    const pid = Number(/^app-(\d+)-\w+\.lock$/.exec(name)?.[1]);
    if (!pid || name === except) continue;
    const identity = await processIdentity(pid);
    if (identity && name === claimName(pid, identity)) claimant = Math.min(pid, claimant ?? pid);
    else await rm(path.join(folder, name), { force: true });
  }
  return claimant;
}

function claimName(pid: number, identity: string | null): string {
  const digest = createHash("sha256").update(String(identity)).digest("hex").slice(0, 12);
  return `app-${pid}-${digest}.lock`;
}
