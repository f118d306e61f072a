import type { Db } from "../../database/schema.server.ts";
import { findBursts } from "../../moderation/store/bursts.server.ts";
import { describeShow, describeUser } from "../command.ts";
import { countOf, escapeControls, print } from "../console.ts";

const DAYS = 7; // unless the operator names a time

export async function bursts(db: Db, { since }: { since?: Date }): Promise<void> {
  const found = await findBursts(db, since ?? new Date(Date.now() - DAYS * 86_400_000));
  if (found.length === 0) print("There is no burst.");
  for (const { show, size, from, to, accounts } of found) {
    print(`${describeShow(show)}: ${size} young or once-only accounts, ${from} to ${to}`);
    for (const { days, reviews, interaction, notes, ...user } of accounts)
      print(
        `  ${describeUser(user)}, ${countOf(days, "day")} old, ${countOf(reviews, "review")}: ${interaction}${notes === null ? "" : `: ${escapeControls(notes)}`}`,
      );
    if (accounts.length < size) print(`  The others follow once these are in quarantine.`);
    print(`  npm run admin -- quarantine ${accounts.map(({ id }) => id).join(" ")}\n`);
  }
}
