import type { Db } from "../../database/schema.server.ts";
import {
  findSuspiciousGroups,
  type SuspiciousGroup,
} from "../../moderation/store/suspicious-accounts.server.ts";
import { describeShow, describeUser } from "../command.ts";
import { escapeControls, print, toMinute } from "../console.ts";
import { plural } from "../progress-bar.ts";

const headings = {
  likely: "Probably one person or company behind several accounts",
  possible: "May be, but fans and first-night audiences look like this too",
};

export async function suspicious(db: Db, { since, json }: { since?: Date; json?: boolean }): Promise<void> {
  const found = await findSuspiciousGroups(db);
  const groups = found.filter(({ last_review_at }) => since === undefined || last_review_at >= since);
  if (json) print(JSON.stringify(groups, null, 2));
  else if (groups.length === 0) print("Nothing looks suspicious.");
  else for (const grade of ["likely", "possible"] as const) printGrade(groups, grade);
}

function printGrade(groups: readonly SuspiciousGroup[], grade: SuspiciousGroup["grade"]): void {
  const graded = groups.filter((group) => group.grade === grade);
  if (graded.length === 0) return;
  print(`${headings[grade]}: ${plural(graded.length, "group")}\n`);
  const byShows = Map.groupBy(graded, describeShows);
  for (const [shows, about] of byShows) print(`${shows}\n${about.map(describeGroup).join("\n")}\n`);
}

function describeShows({ shows }: SuspiciousGroup): string {
  const artist = shows[0]?.artist;
  return `${shows.map(describeShow).join(", ")}${artist ? ` by ${escapeControls(artist)}` : ""}`;
}

function describeGroup({ reason, accounts, first_review_at, last_review_at }: SuspiciousGroup): string {
  const lines = [
    `  ${escapeControls(reason)}`,
    `  from ${toMinute(first_review_at)} to ${toMinute(last_review_at)}`,
    ...accounts.map(
      (account) =>
        `    ${describeUser(account)}, first sign-in ${toMinute(account.first_sign_in_at)}, ${plural(account.reviews, "review")}`,
    ),
    `  npm run admin -- quarantine ${accounts.map(({ id }) => id).join(" ")}`,
  ];
  return lines.join("\n");
}
