import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, expect, test, vi } from "vitest";
import { createStoredFiles } from "../../src/server/stored-files.server.ts";
import { startRelay } from "../support/database-relay.ts";
import { givenRefresh } from "../support/given.ts";
import { createOtherBuild, ownBuild } from "../support/other-build.ts";
import { openRawConnection } from "../support/raw-connection.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { type SiteProcess, startSite } from "../support/site.ts";

/** From the oldest to the newest. Files of libraries are equal in all; others differ. */
const builds = [await ownBuild(), ...(await Promise.all(["b", "c", "d"].map(createOtherBuild)))];
afterAll(() => Promise.all(builds.map(({ remove }) => remove())));
const database = await setUpDatabase();
await givenRefresh(database.db);
const sites: SiteProcess[] = [];
afterAll(() => Promise.all(sites.map((site) => site.stop())));
const build = (index: number) => builds[index] ?? expect.fail();
const ownFiles = (index: number) =>
  build(index).files.filter(
    (name) => !builds.some((other, at) => at !== index && other.files.includes(name)),
  );

async function start(index: number, url = database.url): Promise<SiteProcess> {
  const site = await startSite({ DATABASE_URL: url }, build(index).program);
  sites.push(site);
  return site;
}

const oneSite = async () => sites.find((site) => site.process.exitCode === null) ?? start(1);

async function expectFiles(site: SiteProcess, index: number): Promise<void> {
  expect(ownFiles(index).length).toBeGreaterThan(5);
  for (const name of build(index).files) {
    const response = await fetch(`${site.origin}/assets/${name}`);
    expect(response.status, name).toBe(200);
    const type = { css: "text/css", js: "text/javascript", json: "application/json" }[
      name.replace(/.*\./, "")
    ];
    expect(response.headers.get("content-type")).toMatch(`${type}`);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await response.text()).toBe(await build(index).read(name));
  }
}

async function expectNoFile(site: SiteProcess, name: string): Promise<void> {
  const response = await fetch(`${site.origin}/assets/${name}`);
  expect(response.status).toBe(404);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toBe("There is no such file.");
}

test("each build serves the files of the two builds before it, and of later ones", async () => {
  const first = await start(0);
  for (const index of [1, 2]) {
    const site = await start(index);
    for (let earlier = 0; earlier <= index; earlier++) await expectFiles(site, earlier);
    await expectFiles(first, index);
  }
  const last = await start(3);
  for (const index of [1, 2, 3]) await expectFiles(last, index);
  for (const name of ownFiles(0)) await expectNoFile(last, name);
  await expectFiles(first, 0);
});

test("a build that is started again counts as the newest", { tags: "soak" }, async () => {
  for (const index of [2, 3]) await start(index);
  const again = await start(1);
  await start(0);
  for (const index of [0, 1, 3]) await expectFiles(again, index);
  const site = await start(3);
  for (const name of ownFiles(2)) await expectNoFile(site, name);
});

test("instances of one build that start together store its files once", async () => {
  await database.db.deleteFrom("client_builds").execute();
  await Promise.all([2, 2, 1].map((index) => start(index)));
  expect(await database.db.selectFrom("client_builds").select("id").execute()).toHaveLength(2);
  const expected = build(1).files.length + build(2).files.length;
  expect(await database.db.selectFrom("client_files").select("name").execute()).toHaveLength(expected);
});

test("files that no build has are 404 as text", async () => {
  const site = await oneSite();
  const hashed = ["root-AAAAAAAA.css", "root-AAAAAAAA.js?x=y", "root-AAAAAAAA.js.br"];
  for (const file of [...hashed, "gone.js", "root.js", "x".repeat(1_000)]) await expectNoFile(site, file);
});

test("files of another build are compressed, and revalidate", async () => {
  const site = await oneSite();
  const [name = ""] = ownFiles(2);
  const content = await build(2).read(name);
  for (const [encoding, decode] of [
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
    ["identity", (body: Buffer) => body],
  ] as const) {
    const connection = await openRawConnection(site.origin);
    const request = `GET /assets/${name} HTTP/1.1\r\nHost: here\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`;
    connection.socket.setEncoding("latin1").write(request);
    const [head = "", body = ""] = (await connection.closed).split(/\r\n\r\n(.*)/s);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head.includes(`content-encoding: ${encoding}`)).toBe(encoding !== "identity");
    expect(decode(Buffer.from(body, "latin1")).toString()).toBe(content);
  }
  const { headers } = await fetch(`${site.origin}/assets/${name}`);
  const again = await fetch(`${site.origin}/assets/${name}`, {
    headers: { "If-None-Match": headers.get("etag") ?? "" },
  });
  expect([again.status, again.headers.get("cache-control")]).toEqual([304, headers.get("cache-control")]);
  expect((await fetch(`${site.origin}/assets/${name}`, { method: "HEAD" })).status).toBe(200);
});

test("during a database outage, known files are sent and others get 503 until its end", async () => {
  await start(2);
  const relay = await startRelay(database.url);
  const site = await start(1, relay.url);
  await expectFiles(site, 2);
  relay.cut();
  await expectFiles(site, 2);
  const missing = () => fetch(`${site.origin}/assets/root-AAAAAAAA.js`);
  const refused = await missing();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  relay.restore();
  await vi.waitUntil(async () => (await missing()).status === 404, { timeout: 60_000, interval: 50 });
  await site.stop();
  await relay.close();
});

test("many requests for files that no build has share a few queries", async () => {
  let queries = 0;
  const { pool } = database;
  const count = () => queries++;
  pool.on("acquire", count);
  const findFile = createStoredFiles(database.db);
  const names = Array.from({ length: 500 }, (_, index) => `root-${index}.js`);
  expect(await Promise.all(names.map(findFile))).toEqual(names.map(() => undefined));
  expect(queries).toBeLessThanOrEqual(2);
  for (const name of ownFiles(1)) expect(await findFile(name)).toBeDefined();
  pool.off("acquire", count);
});
