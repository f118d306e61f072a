import { open } from "node:fs/promises";
import { z } from "zod";
import { CommandError } from "../command.ts";
import { parseJson } from "./backup-file.ts";

const userId = z.guid().toLowerCase();
const deletion = z.object({ event: z.literal("account_deleted"), user_id: userId });

/** In JSON that may have other JSON as a text: journals and containers wrap lines of the log so. */
function findDeleted(value: unknown): string[] {
  const { data } = deletion.safeParse(value);
  if (data) return [data.user_id];
  if (typeof value === "string") return findDeleted(parseLogLine(value));
  return typeof value === "object" && value ? Object.values(value).flatMap(findDeleted) : [];
}

/** Behind what the journal may have put before. */
const parseLogLine = (line: string) => (line.includes("{") ? parseJson(line.slice(line.indexOf("{"))) : null);

/** @returns null if the line is of something else, or tells of a deletion without an id */
function readLine(line: string): string[] | null {
  const id = userId.safeParse(line);
  if (id.success) return [id.data];
  const ids = findDeleted(line);
  const isOther = line === "" || (parseLogLine(line) && !line.includes("account_deleted"));
  return ids.length > 0 || isOther ? ids : null;
}

/** Ids, one a line, or lines of the site's log with deletions. @throws CommandError if it names nobody */
export async function readDeletedUsers(file: string): Promise<Set<string>> {
  const handle = await open(file); // closed by its lines
  const ids = new Set<string>();
  let number = 0;
  for await (const line of handle.readLines()) {
    number += 1;
    const found = readLine(line.trim());
    if (!found)
      throw new CommandError(
        `Line ${number} of ${file} is neither the id of a user nor a whole line of the site's log.`,
      );
    for (const id of found) ids.add(id);
  }
  if (ids.size === 0)
    throw new CommandError(`${file} names no deleted user. If there is none, leave out --except-users.`);
  return ids;
}
