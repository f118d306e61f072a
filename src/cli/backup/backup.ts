import { createHash } from "node:crypto";
import { createReadStream, lstatSync } from "node:fs";
import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { recordBackup } from "../../database/backups-table.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import type { Site } from "../command.ts";
import { print } from "../console.ts";
import { stoppable } from "../stop-signals.ts";
import { findOwnParts } from "./own-tables.ts";
import { connectTo, startTool } from "./postgres-tools.ts";

/** A reader of these could sign in as any user. The job queue has a schema of its own, which is left out. */
const secretTables = ["sessions", "sign_ins", "signing_keys"];

/** `file` and its digest are written whole or not at all, readable only by their owner. */
export async function backUp({ db, directUrl, config }: Site, file: string): Promise<void> {
  if (!file || file === "-") throw new OperatorError("Name a file.");
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new OperatorError(`${file} is there already: name a file that is not.`);
  const { schema } = await db.transaction().execute(findOwnParts);
  const { arg, env } = connectTo(directUrl);
  const excluded = secretTables.map((table) => `--exclude-table-data="${schema}".${table}`);
  const args = ["--format=custom", `--schema="${schema}"`, ...excluded, "--no-password", arg];
  await stoppable(
    (signal) =>
      writeWhole(file, async (part) => {
        const { stdout, ended } = startTool("pg_dump", args, { bin: config.pgBin, signal, env });
        await pipeline(stdout, part.createWriteStream({ flush: true }));
        await ended;
      }),
    () => "Stopped; there is no backup.",
  );
  await recordBackup(db);
  print(`Backed up the database to ${file}.`);
}

/** The digest is there before the file: `sha256sum -c` reads it in the file's folder. */
async function writeWhole(file: string, write: (part: FileHandle) => Promise<void>): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const taken = "another backup writes it, or one was killed. If none runs, delete it";
    throw new OperatorError(
      error.code === "EEXIST"
        ? `${part} is there already: ${taken}.`
        : `The backup could not be written: ${error.message}.`,
    );
  });
  try {
    await write(handle).finally(() => handle.close());
    const line = `${await digestOf(part)}  ${basename(file)}\n`;
    await writeFile(digestFile(file), line, { mode: 0o600, flush: true });
    await rename(part, file);
  } catch (error) {
    for (const each of [part, digestFile(file)]) await rm(each, { force: true });
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new OperatorError(`The backup could not be written: ${error.message}.`);
  }
}

export const digestFile = (file: string) => `${file}.sha256`;

export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
