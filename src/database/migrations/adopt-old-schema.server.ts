import { OperatorError } from "../../lib/error-message.ts";

/** Migrations of versions before 1.0.0, which the baseline replaces. */
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

/** The changes from them to the baseline. Sign-in attempts under way must begin again. */
export const toBaseline = `
drop trigger shows_card_changed on shows;
drop function note_card_change();
alter table shows drop column card_changed_at;
alter table tallies drop column changed_at;
drop table flows, used_states, callback_results, moderation_counts;

create or replace function add_to_tally(of_show text, more_no bigint, more_very_little bigint, more_yes bigint) returns void
  language plpgsql as $$
declare
  changed tallies;
begin
  insert into tallies (show_id) values (of_show) on conflict do nothing;
  perform from tallies where show_id = of_show for update;
  update tallies set
    no          = no + more_no,
    very_little = very_little + more_very_little,
    yes         = yes + more_yes,
    latest_at   = (select max(created_at) from reviews where show_id = of_show and counted),
    revision    = revision + 1
  where show_id = of_show
  returning * into changed;
  perform pg_notify('tallies', json_build_object(
    'show_id', of_show,
    'revision', changed.revision,
    'no', changed.no,
    'very_little', changed.very_little,
    'yes', changed.yes,
    'latest_at', to_char(changed.latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text);
end $$;

create table sign_ins (
  id            text primary key,
  provider      text not null check (provider in ('google', 'github')),
  challenge     text not null,
  callback_hash bytea not null,
  returned_at   timestamptz not null default now(),
  expires_at    timestamptz not null,
  location      text,
  code_hash     bytea unique,
  user_id       uuid references users on delete cascade,
  exchanged_at  timestamptz,
  check ((code_hash is null) = (user_id is null))
);
create index sign_ins_age on sign_ins (returned_at);
create index sign_ins_user on sign_ins (user_id);

drop table if exists kysely_migration_lock;
delete from kysely_migration;
`;

export function isOldSchema(applied: readonly string[]): boolean {
  if (!applied.some((name) => oldMigrations.includes(name))) return false;
  if (applied.length !== oldMigrations.length || !applied.every((name) => oldMigrations.includes(name)))
    throw new OperatorError(
      `The database is of an unfinished version of Front Row (its last migration is ${applied.at(-1)}), which this one cannot take over: it needs the migrations up to ${oldMigrations.at(-1)}, and no others.`,
    );
  return true;
}
