import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../src/database/schema.server.ts";

/** The users of `givenEverything`. */
export const userIds = [1, 2, 3, 4, 5].map((n) =>
  createHash("md5")
    .update(String(n))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
);

/** Inserts rows into every table. A new table needs some, too. */
export const givenEverything = (db: Db) =>
  sql
    .raw(`
  insert into shows (id, title, year, status, warnings, performances) values
    ('s', E'Moths "\\\\N" \\\\\\\\ \\t\\n\\r é\\u2028👩‍🎤', 2025, 'active', '{Nudity,"a,b"}', '\\\\n;'), ('t', 'Unlisted', 2024, 'cancelled', null, null);
  insert into users (id, email, email_confirmed_at, quarantined_at, banned_at) select md5(n::text)::uuid, n || '@people.example',
    '2025-08-01T12:00:00.123456Z', case n when 3 then now() end, case n when 4 then now() end from generate_series(1, 5) n;
  insert into identities (provider, subject, user_id, email, email_verified)
    select 'google', n::text, md5(n::text)::uuid, 'x', true from generate_series(1, 5) n;
  insert into sessions (user_id, provider, refresh_key, expires_at)
    select id, 'google', decode(repeat('ab', 32), 'hex'), now() + interval '1 day' from users;
  insert into sign_ins (id, provider, challenge, callback_hash, expires_at) values ('i', 'google', '', '', now());
  insert into signing_keys (kid, private_key) values ('k', '{}');
  insert into reviews (show_id, user_id, audience_interaction, notes, hidden_rule)
    select 's', id, 'yes', E'\\\\.\\n' || email, case email when '2@people.example' then 'abusive' end from users;
  insert into deleted_reviews (user_id, show_id, created_at) select id, 't', now() from users limit 1;
  insert into deleted_accounts (hash, id, dismissed_reports) values (identity_hash('google', '8'), md5('8')::uuid, 1);
  insert into text_verdicts (user_id, hash, verdict) values (md5('8')::uuid, sha256('t'), 'keep');
  insert into banned_identities values (identity_hash('google', '9'), now());
  insert into review_limits values ('60:' || md5('1')::uuid, 1, 1);
  insert into review_closures (show_id) values ('t');
  insert into reports (show_id, author_id, note_id, rule, announced) select show_id, user_id, note_id, 'abusive', 'report' from reviews limit 2;
  delete from reports where id = 2;
  insert into report_reasons (report_id, note_id, reporter_id, reason) select id, note_id, md5('5')::uuid, 'abusive' from reports;
  insert into decisions (report_id, action) select id, 'hide' from reports;
  insert into queue_links (name, token_hash, expires_at) values ('Mo', sha256('x'), now());
  insert into announced_bursts default values;
  insert into audit (action, details) values ('ban-user', '{}');
  insert into refreshes (finished_at, outcome) values (now(), 'succeeded');
  insert into client_builds (id) values ('b');
  insert into client_files values ('b', 'a.js', 'x');
  insert into backups default values`)
    .execute(db);

/** Every row of every table of the site. */
export async function contentsOf(db: Db): Promise<Record<string, object[]>> {
  const tables = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public' order by 1`.execute(db);
  const rows = tables.rows.map(async ({ name }) => {
    const all = await sql<{
      row: object;
    }>`select to_jsonb(t) as row from ${sql.table(name)} t order by t::text`.execute(db);
    return [name, all.rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}
