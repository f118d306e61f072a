import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { loadProgramme, loadReviews } from "../../dev/invented-data.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { declaredBy } from "../../src/domain/declared.ts";
import { savedShows, savedTallies } from "../../src/domain/offline-dto.ts";
import { YEAR } from "../../src/domain/programme.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import { parseRecord } from "../../src/refresh/festival/record-parser.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { bareShow, noTallies, snapshotOf } from "../support/snapshot.ts";

const database = await setUpDatabase();

const programme = loadProgramme().flatMap((event): ListedShow[] => {
  const record = parseRecord(event, YEAR);
  if (record.kind !== "show") return [];
  const { warnings, venue_address: _, performances: _performances, ...show } = record.show;
  return [{ ...show, ...declaredBy(warnings) }];
});

function withInventedReviews(shows: readonly ListedShow[]): ListedShow[] {
  const tallies = new Map<string, NonNullable<ListedShow["reviews"]>>();
  for (const { show_id, audience_interaction, created_at } of loadReviews().reviews) {
    const before = tallies.get(show_id) ?? noTallies;
    const latest_at =
      before.latest_at === null || created_at > before.latest_at ? created_at : before.latest_at;
    tallies.set(show_id, { ...before, [audience_interaction]: before[audience_interaction] + 1, latest_at });
  }
  return shows.map((show) => ({ ...show, reviews: tallies.get(show.id) }));
}

async function serve(shows: readonly ListedShow[]) {
  const catalogue = createCatalogue();
  await catalogue.replace(snapshotOf(shows));
  const app = await createBuiltApp(database, { catalogue });
  const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });
  const bytes = async (path: string) =>
    (await (await get(path, { "accept-encoding": "br" })).arrayBuffer()).byteLength;
  return { catalogue, get, bytes };
}

const SHOWS = "/api/offline/shows.json";
const TALLIES = "/api/tallies.json";

test("the saved list of the invented programme keeps its budget of bytes", async () => {
  expect(programme).toHaveLength(3_893);
  const site = await serve(withInventedReviews(programme));
  const [shows, tallies] = [await site.bytes(SHOWS), await site.bytes(TALLIES)];
  expect(shows).toBeGreaterThan(100_000);
  expect(shows).toBeLessThanOrEqual(255_000);
  expect(tallies).toBeGreaterThan(2_000);
  expect(tallies).toBeLessThanOrEqual(25_000);
});

test("both documents have the contents of the list, in its order, without a client key", async () => {
  const long = `${"word ".repeat(30)}${"x".repeat(400)}`;
  const site = await serve([
    { ...bareShow("abcdef12"), description: long, website: "https://a.example/", warnings: ["Nudity"] },
    {
      ...bareShow("abcdef13"),
      status: "cancelled",
      announced: "yes",
      warnings: ["Haze, smoke", "Nudity"],
      description: `${"x".repeat(120)}. Next.`,
    },
    {
      ...bareShow("abcdef1"),
      reviews: { ...noTallies, no: 3, yes: 2, latest_at: "2025-08-04T23:00:00.000Z" },
    },
    { ...bareShow("zz"), reviews: { ...noTallies, very_little: 1, latest_at: "2025-08-05T00:00:00.000Z" } },
  ]);
  const shows = savedShows.parse(await (await site.get(SHOWS)).json());
  expect(shows).toMatchObject({
    id: ["abcdef1", "abcdef12", "abcdef13", "zz"],
    title: ["Show abcdef1", "Show abcdef12", "Show abcdef13", "Show zz"],
    website: [null, "https://a.example/", null, null],
    description: [null, `${"word ".repeat(25).trimEnd()}…`, `${"x".repeat(120)}…`, null],
    status: ["active", "active", "cancelled", "active"],
    announced: ["unknown", "unknown", "yes", "unknown"],
    phrases: ["Nudity", "Haze, smoke"],
    warnings: [[], [0], [1, 0], []],
  });
  const tallies = async () => {
    const response = await site.get(TALLIES);
    return { etag: response.headers.get("etag"), ...savedTallies.parse(await response.json()) };
  };
  const before = await tallies();
  expect(before).toMatchObject({
    id_start: ["zz", "abcdef1"],
    no: [0, 3],
    very_little: [1, 0],
    yes: [0, 2],
    latest_on: ["2025-08-05", "2025-08-05"],
  });
  const latest_at = "2025-08-06T09:00:00.000Z";
  site.catalogue.updateTallies("abcdef13", { ...noTallies, yes: 1, latest_at, revision: 1 });
  const after = await tallies();
  expect(after.id_start).toEqual(["abcdef13", "zz", "abcdef1"]);
  expect(after.etag).not.toBe(before.etag);
});

test.each([SHOWS, TALLIES])("%s is public, may be shared, and is 304 to its ETag", async (path) => {
  const site = await serve([
    { ...bareShow("1"), reviews: { ...noTallies, no: 1, latest_at: "2025-08-01T00:00:00Z" } },
  ]);
  const { status, headers } = await site.get(path);
  const list = await site.get("/api/shows", { apikey: "front-row-public" });
  expect(status).toBe(200);
  expect(headers.get("cache-control")).toBe(list.headers.get("cache-control"));
  const again = await site.get(path, { "if-none-match": headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
});

test("nothing can be saved before the catalogue is loaded", async () => {
  const catalogue = createCatalogue();
  const app = await createBuiltApp(database, { catalogue });
  expect((await app.get(SHOWS)).status).toBe(503);
  await catalogue.replace(async () => ({ shows: [], tallies: null }));
  expect((await app.get(SHOWS)).status).toBe(200);
  const { status, headers } = await app.get(TALLIES);
  expect([status, headers.get("cache-control")]).toEqual([503, "no-store"]);
});

test("the worker and the script of the saved list keep their budgets", async () => {
  const app = await createBuiltApp(database, {});
  const worker = await app.get("/worker.js");
  expect(worker.headers.get("content-type")).toMatch(/^text\/javascript/);
  expect(worker.headers.get("content-security-policy")).toBe(
    "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
  );
  const text = await worker.text();
  expect(text.length).toBeGreaterThan(500);
  expect(text.length).toBeLessThanOrEqual(3_000);
  const off = await createBuiltApp(database, { offline: false });
  expect(await (await off.get("/worker.js")).text()).toContain("unregister");
  const [script = ""] = globSync(
    new URL("../../build/client/assets/saving-client-*.br", import.meta.url).pathname,
  );
  expect(statSync(script).size).toBeLessThanOrEqual(20_000);
});

test("a build lists its files for saving, with their hashes, and its pages say whether they may be saved", async () => {
  const client = new URL("../../build/client", import.meta.url).pathname;
  const site = await createBuiltApp(database, { clientFiles: client });
  const html = await (await site.get("/auth")).text();
  const build = /^<!DOCTYPE html><html lang="en-GB" data-build="(\w+)" data-offline="">/.exec(html)?.[1];
  const files: Record<string, string> = await (await site.get(`/assets/files-${build}.json`)).json();
  expect(Object.keys(files).sort()).toEqual(
    globSync("assets/*.{js,css}", { cwd: client })
      .map((name) => `/${name}`)
      .sort(),
  );
  for (const [path, hash] of Object.entries(files)) {
    const content = Buffer.from(await (await site.get(path)).arrayBuffer());
    expect(hash, path).toBe(`sha256-${createHash("sha256").update(content).digest("base64")}`);
  }
  const off = await createBuiltApp(database, { clientFiles: client, offline: false });
  expect(await (await off.get("/auth")).text()).not.toContain("data-offline");
});
