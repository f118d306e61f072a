import { loadConfig } from "../../config/environment.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { createHelperLink, findLinks, revokeLink } from "../../moderation/store/queue-links.server.ts";
import { countOf, print, toMinute } from "../console.ts";

export async function createQueueLink(db: Db, name: string, { days }: { days: number }): Promise<void> {
  const { origin } = loadConfig();
  const { number, path, expires_at } = await createHelperLink(db, { name, days });
  const end = `It is not shown again. End it: npm run admin -- revoke-queue-link ${number}`;
  print(`${origin}${path}\nLink ${number}, for ${name}, works until ${toMinute(expires_at)}. ${end}`);
}

export async function listQueueLinks(db: Db): Promise<void> {
  const links = await findLinks(db);
  if (links.length === 0) print("There are no links.");
  for (const { number, name, reportId, hasEnded, end, decisions } of links)
    print(
      `${number}: ${name ?? `message about report ${reportId}`}, ${hasEnded ? "ended" : "until"} ${toMinute(end)}, ${countOf(decisions, "decision")}`,
    );
}

export async function revokeQueueLink(db: Db, number: string): Promise<void> {
  const refusal = /^\d{1,9}$/.test(number) ? await revokeLink(db, Number(number)) : { refused: "no_link" };
  if (refusal) throw new OperatorError(`No link ${number} works: queue-links lists them.`);
  print(`Link ${number} has ended. Its decisions stand; undo takes single ones back.`);
}
