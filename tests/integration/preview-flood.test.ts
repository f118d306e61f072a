import { expect, test } from "vitest";
import { givenShows } from "../support/given.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";

const CLIENTS = 10;
const PICTURES_EACH = 40;

const database = await setUpDatabase();
await givenShows(database.db, CLIENTS * PICTURES_EACH + 2);
const site = await setUpSite(database, { TRUSTED_PROXIES: "127.0.0.1" });

function getPicture(show: number, client: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${site.origin}/api/shows/show-${show + 1}/preview.png`, {
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
