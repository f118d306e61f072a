import { expect, onTestFinished, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { loadProgramme } from "../invented-data.ts";
import { fetchAll, fetchPage, fetchSigned } from "./client.ts";
import type { FaultRule, Spoil } from "./faults.ts";
import { idOf } from "./listing.ts";
import { startFakeFestivalApi } from "./server.ts";

const query = `/events?festival=fringe&year=${YEAR}&size=100`;

async function start(...rules: FaultRule[]) {
  const programme = loadProgramme({ size: 230 });
  const fake = await startFakeFestivalApi({ programme: () => programme });
  onTestFinished(() => fake.close());
  fake.faults.rules.push(...rules);
  return { fake, programme, ids: programme.map(idOf) };
}

async function statusesOf(fake: Awaited<ReturnType<typeof startFakeFestivalApi>>, count: number, from = 0) {
  const statuses = [];
  for (let index = 0; index < count; index++)
    statuses.push((await fetchSigned(fake, `${query}&from=${from}`)).status);
  return statuses;
}

test("a hanging request gets no response, and does not keep the server from closing", async () => {
  const { fake } = await start({ kind: "hang", times: 2 });
  const controller = new AbortController();
  const aborted = expect(fetchSigned(fake, query, { signal: controller.signal })).rejects.toThrow("too long");
  await expect.poll(() => fake.requests.length).toBe(1);
  controller.abort(new Error("too long"));
  await aborted;
  const hanging = fetchSigned(fake, query).catch((error: unknown) => error);
  await expect.poll(() => fake.requests.length).toBe(2);
  await fake.close();
  expect(await hanging).toBeInstanceOf(TypeError);
});

test("the next requests fail, later ones succeed", async () => {
  const { fake } = await start({ kind: "status", status: 503, times: 2 });
  expect(await statusesOf(fake, 4)).toEqual([503, 503, 200, 200]);
  fake.faults.rules.push({ kind: "status", status: 500, times: 1 });
  expect(await statusesOf(fake, 2)).toEqual([500, 200]);
});

test("one page fails, the others do not", async () => {
  const { fake } = await start({ kind: "status", status: 500, from: [100] });
  expect([await statusesOf(fake, 2, 0), await statusesOf(fake, 2, 100)]).toEqual([
    [200, 200],
    [500, 500],
  ]);
  expect((await fetchSigned(fake, "/events/1234")).status).toBe(404);
});

test("a truncated response is not JSON", async () => {
  const response = await fetchSigned((await start({ kind: "truncated" })).fake, query);
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test("when the order shifts between pages, shows repeat and are missed, while the total stays", async () => {
  const { fake, ids } = await start({ kind: "shuffled", places: 100 });
  const listed = (await fetchAll(fake)).map(idOf);
  expect(listed).toHaveLength(230);
  expect(new Set(listed).size).toBeLessThan(230);
  expect((await fetchPage(fake)).total).toBe(230);
  fake.faults.rules = [];
  expect((await fetchAll(fake)).map(idOf)).toEqual(ids);
});

test("a lost page is empty, a short one lacks records, and the total stays", async () => {
  const { fake, ids } = await start(
    { kind: "short", keep: 0, from: [100], times: 1 },
    { kind: "short", keep: 3, from: [0] },
  );
  expect(await fetchPage(fake, 100)).toEqual({ events: [], total: 230 });
  expect((await fetchPage(fake, 0)).events.map(idOf)).toEqual(ids.slice(0, 3));
  expect((await fetchPage(fake, 100)).events).toHaveLength(100);
});

test("a shrunken programme has fewer shows and a matching total", async () => {
  const { fake, ids } = await start();
  fake.faults.shrink = 0.5;
  expect((await fetchAll(fake)).map(idOf)).toEqual(ids.slice(0, 115));
  expect((await fetchPage(fake)).total).toBe(115);
});

test("the total can be missing or wrong", async () => {
  const { fake } = await start(
    { kind: "total", claim: "nothing", times: 1 },
    { kind: "total", claim: 4000, times: 2 },
  );
  expect((await fetchPage(fake)).total).toBeNull();
  expect((await fetchPage(fake)).total).toBe(4000);
  expect((await fetchPage(fake)).total).toBe(230);
});

test.each<[Spoil, (event: Record<string, unknown>) => unknown, unknown]>([
  ["no title", (event) => "title" in event, false],
  ["blank title", (event) => String(event.title).trim(), ""],
  ["title is a number", (event) => event.title, 2025],
  ["long title", (event) => String(event.title).length > 500, true],
  ["no id and no url", (event) => "id" in event || "url" in event, false],
  ["null", (event) => event, null],
])("a page has an invalid record (%s) among valid ones", async (spoil, readField, expected) => {
  const { fake, ids } = await start();
  fake.faults.spoiled.set(ids[3] ?? "", spoil);
  const page = await (await fetchSigned(fake, query)).json();
  expect(page).toHaveLength(100);
  expect(readField(page[3])).toBe(expected);
  expect([page[2], page[4]].map(idOf)).toEqual([ids[2], ids[4]]);
});

test("a deleted show is only in lists of changes", async () => {
  const { fake, ids } = await start();
  const [deletedId = ""] = ids;
  fake.faults.deleted.add(deletedId);
  expect((await fetchAll(fake)).map(idOf)).toEqual(ids.slice(1));
  expect((await fetchPage(fake)).total).toBe(229);
  expect((await fetchSigned(fake, `/events/${deletedId}`)).status).toBe(404);
  const changes = await (
    await fetchSigned(fake, `/events?year=${YEAR}&modified_from=${YEAR}-12-31+00%3A00%3A00`)
  ).json();
  expect(changes.map((event: { status: string }) => event.status)).toEqual(["deleted"]);
});

test("a wrong signature is refused despite faults, and does not count towards them", async () => {
  const { fake } = await start({ kind: "status", status: 503, times: 1 });
  expect((await fetch(`${fake.url}/events?key=${fake.key}`)).status).toBe(403);
  expect((await fetchSigned(fake, query)).status).toBe(503);
});
