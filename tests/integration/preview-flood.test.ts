import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { recordRecentRefresh, type Site, startSite } from "../support/site.ts";

const CLIENTS = 10;
const PICTURES_EACH = 40;

let database: Database;
let site: Site;

beforeAll(async () => {
  database = await createTestDatabase();
  const shows = Array.from({ length: CLIENTS * PICTURES_EACH + 2 }, (_, n) => ({
    id: `show-${n}`,
    title: `Flooded ${n}`,
    year: 2025,
    status: "active" as const,
    details: "{}",
  }));
  await database.db.insertInto("shows").values(shows).execute();
  await recordRecentRefresh(database.db);
  site = await startSite({ DATABASE_URL: database.url, TRUSTED_PROXIES: "127.0.0.1" });
});
afterAll(async () => {
  await site.stop();
  await database.close();
});

function getPicture(show: number, client: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${site.origin}/api/shows/show-${show}/preview.png`, {
    headers: { "X-Forwarded-For": client },
    signal: signal ?? null,
  });
}

test("a flood of previews by many clients leaves others their previews and everything else", async () => {
  const controller = new AbortController();
  const flood = Array.from({ length: CLIENTS * PICTURES_EACH }, (_, show) =>
    getPicture(show, `203.0.113.${show % CLIENTS}`, controller.signal),
  );
  const flooded = Promise.allSettled(flood);
  // One of the flood is drawn, so the rest waits.
  await Promise.race(flood);
  const own = CLIENTS * PICTURES_EACH;
  const alsoInTheFlood = own - 1;
  const statuses = await Promise.all([
    getPicture(own, "198.51.100.1"),
    getPicture(own + 1, "198.51.100.2"),
    getPicture(alsoInTheFlood, "2001:db8::1"),
    site.api("/api/reviews?show_id=show-1", { "X-Forwarded-For": "198.51.100.3" }),
  ]).then((responses) => responses.map(({ status }) => status));
  controller.abort();
  await flooded;
  expect(statuses).toEqual([200, 200, 200, 200]);
});
