import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createLogger } from "../../src/lib/logger.server.ts";
import { createStoredFiles, storeClientFiles } from "../../src/server/stored-files.server.ts";
import { givenNone } from "../support/given.ts";
import { openTestSite, setUpDatabase, setUpFolder, setUpRelay, setUpSite } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
const relay = await setUpRelay(database);
const folder = await setUpFolder();
/** Its own files are stored when it starts. */
const site = await setUpSite(database, { DATABASE_URL: relay.url });
const log = createLogger("silent", { write: () => {} });
beforeEach(() => givenNone(db, "client_builds"));

const types = { css: "text/css", js: "text/javascript", json: "application/json" };
/** Files of libraries are equal in all builds. */
const filesOf = (build: string) => [
  ...Object.keys(types).map((type) => [`root-${build}.${type}`, `/* ${build} */`.repeat(99)] as const),
  ["libraries.js", "same()"] as const,
];

/** Stores the files of a build, as its start does. */
async function startBuild(build: string): Promise<void> {
  const assets = join(folder, build, "assets");
  await mkdir(assets, { recursive: true });
  for (const [name, content] of filesOf(build))
    for (const suffix of ["", ".br"]) await writeFile(join(assets, name + suffix), content);
  await storeClientFiles(db, join(folder, build), log);
}

const read = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${site.origin}/assets/${name}`, { headers });

async function expectFiles(build: string): Promise<void> {
  for (const [name, content] of filesOf(build)) {
    const response = await read(name);
    expect(response.status, name).toBe(200);
    const [, type] = Object.entries(types).find(([end]) => name.endsWith(`.${end}`)) ?? expect.fail();
    expect(response.headers.get("content-type")).toContain(type);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await response.text()).toBe(content);
  }
}

async function expectNoFile(name: string): Promise<void> {
  const response = await read(name);
  expect(response.status).toBe(404);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toBe("There is no such file.");
}

test("an instance stores its files, and serves those of the three builds that started last", async () => {
  for (const build of ["a", "b"]) await startBuild(build);
  await openTestSite({ DATABASE_URL: database.url });
  const own = (await readdir("build/client/assets")).filter((name) => !/\.(br|gz)$/.test(name));
  const stored = (await storedRows(db, "client_files", ["name"])).map(({ name }) => name);
  expect(own.filter((name) => !stored.includes(name))).toEqual([]);
  for (const build of ["a", "b"]) await expectFiles(build);
  // A build that is started again counts as the newest.
  for (const build of ["a", "c", "d"]) await startBuild(build);
  expect(await storedRows(db, "client_builds", ["id"])).toHaveLength(3);
  for (const build of ["c", "d", "a"]) await expectFiles(build);
  for (const [name] of filesOf("b").slice(0, 3)) await expectNoFile(name);
});

test("instances of one build that start together store its files once", async () => {
  await Promise.all(["a", "a", "b"].map(startBuild));
  expect(await storedRows(db, "client_builds", ["id"])).toHaveLength(2);
  expect(await storedRows(db, "client_files", ["name"])).toHaveLength(2 * filesOf("a").length);
});

test("files that no build has are 404 as text, and many requests for them share a few queries", async () => {
  const hashed = ["root-AAAAAAAA.css", "root-AAAAAAAA.js?x=y", "root-AAAAAAAA.js.br"];
  for (const file of [...hashed, "gone.js", "root.js", "x".repeat(1_000)]) await expectNoFile(file);
  let queries = 0;
  const count = () => queries++;
  database.pool.on("acquire", count);
  const findFile = createStoredFiles(db);
  const names = Array.from({ length: 500 }, (_, index) => `root-${index}.js`);
  expect(await Promise.all(names.map(findFile))).toEqual(names.map(() => undefined));
  expect(queries).toBeLessThanOrEqual(2);
  database.pool.off("acquire", count);
});

test("files of another build are compressed, and revalidate", async () => {
  await startBuild("a");
  const [[name, content] = expect.fail()] = filesOf("a");
  for (const encoding of ["br", "gzip", "identity"]) {
    const response = await read(name, { "Accept-Encoding": encoding });
    expect(response.headers.get("content-encoding") ?? "identity").toBe(encoding);
    expect(await response.text()).toBe(content);
  }
  const { headers } = await read(name);
  const again = await read(name, { "If-None-Match": headers.get("etag") ?? "" });
  expect([again.status, again.headers.get("cache-control")]).toEqual([304, headers.get("cache-control")]);
  expect((await fetch(`${site.origin}/assets/${name}`, { method: "HEAD" })).status).toBe(200);
});

test("during a database outage, known files are sent and others get 503 until its end", async () => {
  await startBuild("a");
  await expectFiles("a");
  relay.cut();
  await expectFiles("a");
  const missing = () => read("root-AAAAAAAA.js");
  const refused = await missing();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  relay.restore();
  await expect.poll(async () => (await missing()).status).toBe(404);
});
