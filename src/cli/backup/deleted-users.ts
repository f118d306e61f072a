import { open } from "node:fs/promises";
import { z } from "zod";
import { OperatorError } from "../../lib/error-message.ts";

const userId = z.guid().toLowerCase();
const deletion = z.object({ event: z.literal("account_deleted"), user_id: userId });

/** Searches JSON within texts of other JSON, too: journals and containers wrap log lines in that way. */
function findDeleted(value: unknown): string[] {
  const { data } = deletion.safeParse(value);
  if (data) return [data.user_id];
  if (typeof value === "string") return findDeleted(parseLogLine(value));
  return typeof value === "object" && value ? Object.values(value).flatMap(findDeleted) : [];
}

/** The journal may have put text before the JSON. */
function parseLogLine(line: string): unknown {
  try {
    return JSON.parse(/\{.*/s.exec(line)?.[0] ?? "null");
  } catch {
    return null;
  }
}

/** A line has an id, or is a line of the site's log. @throws OperatorError if the file names no user */
export async function readDeletedUsers(file: string): Promise<Set<string>> {
  const handle = await open(file); // closed by its lines
  const ids = new Set<string>();
  let number = 0;
  for await (const line of handle.readLines()) {
    number += 1;
    const text = line.trim();
    const id = userId.safeParse(text).data;
    const found = id ? [id] : findDeleted(text);
    const isOther = text === "" || (parseLogLine(text) && !text.includes("account_deleted"));
    if (found.length === 0 && !isOther)
      throw new OperatorError(
        `Line ${number} of ${file} is neither the id of a user nor a whole line of the site's log.`,
      );
    for (const one of found) ids.add(one);
  }
  if (ids.size === 0)
    throw new OperatorError(`${file} names no deleted user. If there is none, leave out --except-users.`);
  return ids;
}
