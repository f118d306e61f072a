import { sql } from "kysely";
import { expect } from "vitest";
import type { Db } from "../../src/database/schema.server.ts";
import { showPage } from "../../src/domain/show.ts";
import { readNotes } from "./read-list.ts";
import { referenceList } from "./reference-list.ts";
import type { Site } from "./site.ts";
import { expectTrueTallies } from "./stored.ts";

/** Counts and notes of shows by the rules of docs/product.md §4, in SQL. Counts the reviews. */
async function referenceReviews(db: Db, showIds: readonly string[]) {
  const { rows } = await sql<{ show_id: string; by_interaction: unknown }>`
    select show_id, jsonb_object_agg(interaction, jsonb_build_object(
      'count', (select count(*) from reviews r where r.show_id = shows.show_id and audience_interaction = interaction and counted),
      'total', (select count(*) from reviews r where r.show_id = shows.show_id and audience_interaction = interaction
        and notes is not null and counted and hidden_rule is null),
      'notes', (
        select coalesce(jsonb_agg(jsonb_build_object('id', note_id, 'notes', notes, 'created_at',
          to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by created_at desc, user_id), '[]')
        from (select * from reviews r where r.show_id = shows.show_id and audience_interaction = interaction and notes is not null
            and counted and hidden_rule is null
          order by created_at desc, user_id limit 5) newest)))
      || jsonb_build_object('revision', coalesce((
        select revision from tallies where tallies.show_id = shows.show_id), 0)) as by_interaction
    from unnest(${showIds}::text[]) as shows (show_id), unnest('{no,very_little,yes}'::text[]) as interaction
    group by show_id`.execute(db);
  return Object.fromEntries(rows.map(({ show_id, by_interaction }) => [show_id, by_interaction]));
}

export async function expectServersMatchDatabase(db: Db, servers: readonly Site[]) {
  await expectTrueTallies(db);
  for (let page = 1, pages = 1; page <= pages; page++) {
    const list = await referenceList(db, { search: "", interaction: [], page });
    pages = Math.ceil(list.total / list.page_size);
    const ids = list.shows.map(({ id }) => id);
    const reviews = await referenceReviews(db, ids);
    for (const server of servers) {
      const polling = { timeout: 20_000, interval: 20 };
      await expect.poll(() => readListPage(server, page), polling).toEqual(list);
      await expect.poll(() => readNotes(server, ids), polling).toEqual(reviews);
    }
  }
}

const readListPage = async (server: Site, page: number) =>
  showPage.parse(await (await server.api(`/api/shows?page=${page}`)).json());
