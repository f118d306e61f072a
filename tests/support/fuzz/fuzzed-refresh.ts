import { createServer } from "node:http";
import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import { idOf } from "../../../dev/fake-festival-api/listing.ts";
import { inventProgramme } from "../../../dev/fake-festival-api/programme.ts";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";
import { createCatalogue } from "../../../src/catalogue/catalogue.server.ts";
import { readSnapshot } from "../../../src/catalogue/snapshot-queries.server.ts";
import type { Database } from "../../../src/database/open.server.ts";
import { showPage } from "../../../src/domain/show.ts";
import { refreshShows } from "../../../src/refresh/run-refresh.server.ts";
import { createTestDatabase } from "../postgres.ts";
import { listedIds, recordingLog, refreshRows, showRows } from "../refreshes.ts";
import { type Effect, recordMutation, unchangedRecord } from "./festival-records.ts";

const events = inventProgramme({ size: 230 });
const ids = events.map(idOf);
export const RECORD_COUNT = events.length;

/** The pages of one refresh, with mutated and duplicate records, and a wrong total. */
export const festivalArbitrary = fc.record({
  mutations: fc.uniqueArray(fc.record({ index: fc.nat(RECORD_COUNT - 1), mutate: recordMutation }), {
    maxLength: 60,
    size: "max",
    selector: ({ index }) => index,
  }),
  duplicates: fc.array(fc.nat(RECORD_COUNT - 1), { maxLength: 3 }),
  total: fc.constantFrom("right", "right", "right", null, "", ..."-5 1e3 all 100 231 300".split(" ")),
});

type Festival = typeof festivalArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function expectedFailure({ total }: Festival, effects: readonly Effect[]): RegExp | null {
  if (Number(total) > RECORD_COUNT * 1.01 && /^\d+$/.test(String(total))) return /stayed incomplete/;
  const invalid = effects.filter((effect) => effect === "skipped" || effect === "nameless").length;
  return invalid > RECORD_COUNT * 0.05 ? /cannot be understood/ : null;
}

export async function startFuzzedRefresh() {
  const database = await createTestDatabase();
  const festival = await startRawFestival();
  const { db } = database;

  async function refresh() {
    const { log, lines } = recordingLog();
    const api = { url: festival.url, key: "k", secret: "s", retryDelay: 1 };
    const outcome = await refreshShows({ db, api, log, allowShrink: true });
    // Only an unexpected error is logged as `err`.
    expect(lines.filter((line) => "err" in line)).toEqual([]);
    expect((await refreshRows(db)).at(-1)).toMatchObject({ outcome: outcome.outcome });
    return outcome;
  }

  festival.serve({
    records: events.map((event) => unchangedRecord(event).json),
    total: String(RECORD_COUNT),
  });
  expect(await refresh()).toMatchObject({ outcome: "succeeded", listed: RECORD_COUNT });
  const validRows = new Map((await showRows(db)).map((row) => [row.id, contentOf(row)]));
  return {
    async refreshFrom(generated: Festival): Promise<void> {
      const mutations = new Map(generated.mutations.map(({ index, mutate }) => [index, mutate]));
      const sentRecords = events.map((event, index) => (mutations.get(index) ?? unchangedRecord)(event));
      const effects = sentRecords.map(({ effect }) => effect);
      const duplicates = generated.duplicates.filter((index) => effects[index] !== "nameless");
      const records = [...sentRecords, ...duplicates.flatMap((index) => sentRecords[index] ?? [])].map(
        ({ json }) => json,
      );
      const total = generated.total === "right" ? String(RECORD_COUNT) : generated.total;
      festival.serve({ records, total });
      const before = { rows: await showRows(db), listed: new Set(await listedIds(db)) };
      const outcome = await refresh();
      const reason = expectedFailure(generated, effects);
      if (reason) {
        expect(outcome).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason) });
        expect(await showRows(db)).toEqual(before.rows);
        return;
      }
      const isListed = (id: string, index: number) =>
        effects[index] === "listed" || (effects[index] !== "unlisted" && before.listed.has(id));
      const listed = ids.filter(isListed).sort();
      const skipped = effects.filter((effect) => effect === "skipped" || effect === "nameless").length;
      expect(outcome).toMatchObject({ outcome: "succeeded", listed: listed.length, skipped });
      expect(await listedIds(db)).toEqual(listed);
      const after = await showRows(db);
      expect(after.filter((row) => !isClean(row))).toEqual([]);
      const unmutated = after.filter(({ id }) => !mutations.has(ids.indexOf(String(id))));
      expect(unmutated.map(contentOf)).toEqual(unmutated.map(({ id }) => validRows.get(id)));
      await expectValidPages(database);
    },
    async refreshFromEndlessList(): Promise<void> {
      const before = await showRows(db);
      const records = Array<string>(100).fill("{}"); // parsed quickly
      festival.serve({ records, total: "100", repeatsFirstPage: true });
      expect(await refresh()).toMatchObject({
        outcome: "failed",
        reason: "The festival's list does not end.",
      });
      expect(await showRows(db)).toEqual(before);
    },
    async close() {
      await festival.close();
      await database.close();
    },
  };
}

interface RawListing {
  records: readonly string[];
  /** The header `x-total-results`; null omits it. */
  total: string | null;
  repeatsFirstPage?: boolean;
}

async function startRawFestival() {
  let current: RawListing = { records: [], total: null };
  const server = createServer(({ url = "" }, response) => {
    const from = current.repeatsFirstPage ? 0 : Number(new URL(url, "http://x").searchParams.get("from"));
    if (current.total !== null) response.setHeader("x-total-results", current.total);
    response.setHeader("Content-Type", "application/json; charset=utf8");
    response.end(`[${current.records.slice(from, from + 100).join(",")}]`);
  });
  const url = await listenOnLoopback(server, 0);
  const serve = (listing: RawListing) => {
    current = listing;
  };
  return { url, serve, close: () => closeAtOnce(server) };
}

function contentOf(stored: Record<string, unknown>) {
  const { xmin: _, created_at: _c, updated_at: _u, ...row } = stored;
  return row;
}

const multiLine = z
  .string()
  .regex(/^\S(.*\S)?$/su)
  .regex(/^[^[\p{Cs}[\p{Cc}--\n]]]*$/v);
const singleLine = multiLine.regex(/^[^\n]*$/);

const cleanRow = z.object({
  title: singleLine,
  artist: singleLine.nullable(),
  venue_name: singleLine.nullable(),
  genre: singleLine.nullable(),
  description: multiLine.nullable(),
  website: z.string().startsWith("http").nullable(),
});

const isClean = (row: Record<string, unknown>) => cleanRow.safeParse(row).success;

async function expectValidPages({ db }: Database): Promise<void> {
  const catalogue = createCatalogue();
  await catalogue.replace(() => readSnapshot(db));
  for (const page of [1, 12])
    expect(
      showPage.safeParse(catalogue.find({ search: "", interaction: [], page }).page).error,
    ).toBeUndefined();
}
