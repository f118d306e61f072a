import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type Relay, startRelay } from "../support/database-relay.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { replaceProgramme, showId } from "../support/programme.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import {
  operatorSettings,
  recordRecentRefresh,
  type Site,
  startSite,
  unreachableFestival,
} from "../support/site.ts";

const origin = "http://front-row.example";
let database: Database;
let relay: Relay;
let folder: string;
let file: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const show = { artist: null, venue_name: null, listed: true, year: 2025, status: "active" } as const;
  await replaceProgramme(database.db, {
    shows: Array.from({ length: 25 }, (_, index) => ({ title: `Show ${index}`, ...show })),
    reviews: [{ show: 7, user: 0, interaction: "yes", at: 1 }],
  });
  await recordRecentRefresh(database.db);
  relay = await startRelay(database.url);
  folder = await mkdtemp(join(tmpdir(), "front-row-catalogue-"));
  file = join(folder, "catalogue.json.gz");
  const site = await start();
  await vi.waitUntil(() => readFile(file).catch(() => null), { timeout: 10_000, interval: 20 });
  await site.stop();
});
afterAll(async () => {
  await relay.close();
  await database.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<Site> {
  return startSite({ DATABASE_URL: relay.url, CATALOGUE_FILE: file, ORIGIN: origin });
}

const linesWith = (site: Site, text: string) => site.log.filter((line) => line.includes(text));

test("an instance that starts without the database serves the last catalogue, and goes on when it is back", async () => {
  const [reviewer] = await inventReviewers(database.db, origin, 1);
  if (!reviewer) throw new Error("There is no reviewer");
  relay.cut();
  const site = await start();
  onTestFinished(async () => void (await site.stop()));
  const page = await requestWithHost(site.origin, "front-row.example");
  const list = await (await site.api("/api/shows")).json();
  const [waiting, serving] = ["Waiting for the database", "serving the last catalogue"].map(
    (text) => JSON.parse(linesWith(site, text)[0] ?? "{}").time,
  );
  expect(serving - waiting).toBeLessThan(2_000);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Show 7")]);
  expect(list.total).toBe(25);
  expect(list.shows[0]).toMatchObject({ title: "Show 7", reviews: { yes: 1 } });
  const readyz = await fetch(`${site.origin}/readyz`);
  expect([readyz.status, await readyz.json()]).toEqual([
    200,
    expect.objectContaining({ ready: true, database: "down", shows: 25 }),
  ]);
  const write = () => sendReview(site.origin, reviewer, { show_id: showId(3), audience_interaction: "no" });
  const refused = await write();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  // Longer than one attempt to start lasts.
  await vi.waitUntil(() => linesWith(site, "The database is not back yet").length > 0, {
    timeout: 30_000,
    interval: 50,
  });
  relay.restore();
  await vi.waitUntil(async () => (await write()).status === 200, { timeout: 30_000, interval: 200 });
  expect((await (await site.api("/api/shows")).json()).shows[0]).toMatchObject({ title: "Show 3" });
  expect(await (await fetch(`${site.origin}/readyz`)).json()).toMatchObject({ database: "up" });
  expect(linesWith(site, "The database is not back yet")).toHaveLength(1);
  expect(linesWith(site, "The database is back")).toHaveLength(1);
  expect(site.log.join("\n")).not.toMatch(/\n\s+at /);
});

test("without a file that can be used it does not listen, and says why", async () => {
  relay.cut();
  const saved = JSON.parse(gunzipSync(await readFile(file)).toString());
  const old = { ...saved, saved_at: "2025-08-01T12:00:00.000Z" };
  for (const content of [
    null,
    Buffer.from("no gzip"),
    gzipSync("[]"),
    gzipSync(JSON.stringify({ ...saved, format: 0 })),
    gzipSync(JSON.stringify(old)),
  ]) {
    const other = join(folder, "other.json.gz");
    await rm(other, { force: true });
    if (content) await writeFile(other, content);
    const port = String(await freePort());
    const program = runProgram("build/server/main.js", [], {
      ...operatorSettings,
      ...unreachableFestival,
      DATABASE_URL: relay.url,
      CATALOGUE_FILE: other,
      PORT: port,
    });
    await program.waitForOutput("The catalogue file cannot be used");
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    program.process.kill("SIGKILL");
    await program.exited;
  }
  relay.restore();
});
