import { open } from "node:fs/promises";
import { OperatorError } from "../../lib/operator-error.ts";

const userId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Of the site's log. Journals and containers put such lines into JSON of their own, which escapes the quotes. */
const deletion = /account_deleted\\*",\\*"user_id\\*":\\*"([0-9a-f-]{36})\\*"/g;

/** A line has an id, or is a line of the site's log. @throws OperatorError if the file names no user */
export async function readDeletedUsers(file: string): Promise<Set<string>> {
  const handle = await open(file); // closed by its lines
  const ids = new Set<string>();
  let number = 0;
  for await (const line of handle.readLines()) {
    number += 1;
    const text = line.trim();
    const found = userId.test(text) ? [text.toLowerCase()] : [];
    for (const [, id = ""] of text.matchAll(deletion)) found.push(id);
    const isOther = text === "" || (/\{.*\}$/.test(text) && !text.includes("account_deleted"));
    if (found.length === 0 && !isOther)
      throw new OperatorError(
        `Line ${number} of ${file} is neither the id of a user nor a whole line of the site's log.`,
      );
    for (const id of found) ids.add(id);
  }
  if (ids.size === 0)
    throw new OperatorError(`${file} names no deleted user. If there is none, leave out --except-users.`);
  return ids;
}
