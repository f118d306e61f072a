import { type Kysely, sql } from "kysely";
import { expect } from "vitest";
import type { Schema } from "../../src/database/schema.server.ts";
import { notesByShow } from "../../src/domain/review-dto.ts";
import { showPage } from "../../src/domain/show.ts";
import { readTallies } from "./admin.ts";
import { referenceList } from "./reference-list.ts";
import type { Site } from "./site.ts";

/** What is written of shows, as docs/product.md §4 words it, counted from the reviews themselves. */
async function referenceReviews(db: Kysely<Schema>, showIds: readonly string[]) {
  const { rows } = await sql<{ show_id: string; told: unknown }>`
    select show_id, jsonb_object_agg(answer, jsonb_build_object(
      'count', (select count(*) from reviews r where r.show_id = shows.show_id and audience_interaction = answer),
      'notes', (
        select coalesce(jsonb_agg(jsonb_build_object('notes', notes, 'created_at',
          to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by created_at desc, user_id), '[]')
        from (select * from reviews r where r.show_id = shows.show_id and audience_interaction = answer and notes is not null
          order by created_at desc, user_id limit 5) newest))) as told
    from unnest(${showIds}::text[]) as shows (show_id), unnest('{no,very_little,yes}'::text[]) as answer
    group by show_id`.execute(db);
  return Object.fromEntries(rows.map(({ show_id, told }) => [show_id, told]));
}

/**
 * Tallies equal a recount; and soon every one of these servers lists all shows in order with their tallies,
 * and tells their reviews and notes, as SQL does. The database must have been taught comparisons, and nobody
 * writes meanwhile.
 */
export async function expectServersMatchDatabase(db: Kysely<Schema>, servers: readonly Site[]): Promise<void> {
  const { tallies, recounted } = await readTallies(db);
  expect(tallies).toEqual(recounted);
  for (let page = 1, pages = 1; page <= pages; page++) {
    const list = await referenceList(db, { search: "", interaction: [], page });
    pages = Math.ceil(list.total / list.page_size);
    const ids = list.shows.map(({ id }) => id);
    const written = await referenceReviews(db, ids);
    for (const server of servers) {
      const patience = { timeout: 20_000, interval: 20 };
      await expect.poll(() => listBy(server, page), patience).toEqual(list);
      await expect.poll(() => reviewsBy(server, ids), patience).toEqual(written);
    }
  }
}

async function listBy(server: Site, page: number) {
  return showPage.parse(await (await server.api(`/api/shows?page=${page}`)).json());
}

async function reviewsBy(server: Site, ids: readonly string[]) {
  const query = new URLSearchParams(ids.map((id) => ["show_id", id]));
  return notesByShow.parse(await (await server.api(`/api/reviews?${query}`)).json()).reviews;
}
