import { sql } from "kysely";
import { pino } from "pino";
import { vi } from "vitest";
import { type FakeFestivalApi, startFakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { loadProgramme } from "../../dev/invented-data.ts";
import type { Db } from "../../src/database/schema.server.ts";

const invented = loadProgramme({ size: 250 });

export async function startSmallFestival(size = invented.length) {
  const programme = size === invented.length ? structuredClone(invented) : loadProgramme({ size });
  const fake = await startFakeFestivalApi({ programme: () => programme });
  return { programme, fake };
}

export const festivalSettings = ({ url, key, secret }: FakeFestivalApi) => ({
  FESTIVAL_API_URL: url,
  FESTIVAL_API_KEY: key,
  FESTIVAL_API_SECRET: secret,
});

export function recordingLog() {
  const lines: { level: number; msg: string; [key: string]: unknown }[] = [];
  const log = pino({ level: "trace" }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

export async function emptyTables(db: Db): Promise<void> {
  await sql`truncate shows, users, refreshes cascade`.execute(db);
}

/** With `xmin`, which changes when a row is written. */
export async function showRows(db: Db) {
  const all = sql<Record<string, unknown>>`select *, xmin::text from shows order by id`;
  return (await all.execute(db)).rows;
}

export async function listedIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("shows").select("id").where("listed", "=", true).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

export function refreshRows(db: Db) {
  return db.selectFrom("refreshes").selectAll().orderBy("id").execute();
}

/** Makes a refresh wait: the fake API holds back the second page until `release`. */
export function holdSecondPage(fake: FakeFestivalApi) {
  const requestCount = fake.requests.length;
  const { promise: until, resolve } = Promise.withResolvers<void>();
  const rule = { kind: "hang", from: [100], until } as const;
  fake.faults.rules.push(rule);
  return {
    reached: () =>
      vi.waitUntil(() => fake.requests.length >= requestCount + 2, { timeout: 120_000, interval: 10 }),
    release: () => {
      fake.faults.rules = fake.faults.rules.filter((other) => other !== rule);
      resolve();
    },
  };
}
