import { expect, vi } from "vitest";
import { z } from "zod";
import type { Database } from "../../src/database/open.server.ts";
import { festivalSettings, startSmallFestival } from "./refreshes.ts";
import { type Site, startSite } from "./site.ts";

/**
 * Starts three servers simultaneously on an empty database. Expects that all of them start and list the whole
 * programme, that it was fetched once, and that there is one signing key.
 */
export async function startSimultaneously(database: Database): Promise<void> {
  await using running = new AsyncDisposableStack();
  const { fake } = await startSmallFestival();
  running.defer(fake.close);
  const variables = {
    DATABASE_URL: database.url,
    ORIGIN: "http://front-row.example",
    ...festivalSettings(fake),
  };
  const starting = await Promise.allSettled([
    startSite(variables),
    startSite(variables),
    startSite(variables),
  ]);
  const sites = starting.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  running.defer(async () => void (await Promise.all(sites.map((site) => site.stop()))));
  expect(starting.filter(({ status }) => status === "rejected")).toEqual([]);

  const allListed = async () => (await Promise.all(sites.map(countShows))).every((shows) => shows === 250);
  await vi.waitUntil(allListed, { timeout: 60_000, interval: 50 });
  const { db } = database;
  expect(await db.selectFrom("refreshes").select("outcome").execute()).toEqual([{ outcome: "succeeded" }]);
  expect(fake.requests).toHaveLength(3); // pages
  expect(await db.selectFrom("signing_keys").select("kid").execute()).toHaveLength(1);
}

async function countShows({ origin }: Site): Promise<number> {
  return z.object({ shows: z.number() }).parse(await (await fetch(`${origin}/readyz`)).json()).shows;
}
