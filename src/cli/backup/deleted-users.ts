import { open } from "node:fs/promises";
import { z } from "zod";
import { CommandError } from "../command.ts";
import { parseJson } from "./backup-file.ts";

const userId = z.guid().toLowerCase();

/** Behind what the journal may have put before. */
const logLine = z.string().transform((line) => parseJson(line.slice(line.indexOf("{"))));

const entry = z.union([
  userId,
  logLine.pipe(z.object({ event: z.literal("account_deleted"), user_id: userId })),
  logLine.pipe(z.object({ event: z.string().regex(/^(?!account_deleted$)/).optional() })), // biome-ignore format: one thought
  z.literal(""),
]);

/** Ids, one a line, or lines of the site's log with deletions. @throws CommandError if it names nobody */
export async function readDeletedUsers(file: string): Promise<Set<string>> {
  const handle = await open(file); // closed by its lines
  const ids = new Set<string>();
  let number = 0;
  for await (const line of handle.readLines()) {
    number += 1;
    const { data } = entry.safeParse(line.trim());
    if (data === undefined)
      throw new CommandError(
        `Line ${number} of ${file} is neither the id of a user nor a line of the site's log.`,
      );
    const id = typeof data === "string" ? data : "user_id" in data && data.user_id;
    if (id) ids.add(id);
  }
  if (ids.size === 0)
    throw new CommandError(`${file} names no deleted user. If there is none, leave out --except-users.`);
  return ids;
}
