import { DatabaseStartError } from "../database-start-error.server.ts";

/** Before version 1.0.0. The baseline stands in their place. */
const oldMigrations: readonly string[] = [
  "0001_shows_and_reviews",
  "0002_accounts",
  "0003_reviewing",
  "0004_tallies_told",
  "0005_moved_reviews",
  "0006_callback_results",
  "0007_client_builds",
  "0008_warnings",
  "0009_card_changes",
  "0010_bans_of_deleted_users",
  "0011_moderation",
  "0012_announced_reports",
  "0013_sealed_states",
  "0014_deleted_reviews",
];

/** What the baseline has otherwise than they do. Sign-ins that are under way have to be begun again. */
export function toBaseline(baseline: string): string {
  const created = baseline
    .split("\n\n")
    .filter((part) => /^create (table sign_ins|function add_to_tally)/m.test(part))
    .join("\n")
    .replace("create function", "create or replace function");
  return `
drop trigger shows_card_changed on shows;
drop function note_card_change();
alter table shows drop column card_changed_at;
alter table tallies drop column changed_at;
drop table flows, used_states, callback_results, moderation_counts;
drop table if exists kysely_migration_lock;
delete from kysely_migration;
${created}`;
}

/** @throws DatabaseStartError if it has only some of them, or more */
export function isOldSchema(applied: readonly string[]): boolean {
  if (!applied.some((name) => oldMigrations.includes(name))) return false;
  if (applied.length !== oldMigrations.length || !applied.every((name) => oldMigrations.includes(name)))
    throw new DatabaseStartError(
      `The database is of an unfinished version of Front Row (its last migration is ${applied.at(-1)}), which this one cannot take over: it needs the migrations up to ${oldMigrations.at(-1)}, and no others.`,
    );
  return true;
}
