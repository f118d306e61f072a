import { expect, onTestFinished, test } from "vitest";
import { ask, askAll, askPage } from "./ask.ts";
import type { Fault, FaultRule, Spoil } from "./faults.ts";
import { idOf } from "./listing.ts";
import { inventProgramme } from "./programme.ts";
import { startFestivalStandIn } from "./server.ts";

const query = "/events?festival=fringe&year=2025&size=100";

async function start(...rules: FaultRule[]) {
  const programme = inventProgramme({ size: 230 });
  const standIn = await startFestivalStandIn({ programme: () => programme });
  onTestFinished(() => standIn.close());
  standIn.faults.rules.push(...rules);
  return { standIn, programme, ids: programme.map(idOf) };
}

async function statusesOf(standIn: Awaited<ReturnType<typeof startFestivalStandIn>>, count: number, from = 0) {
  const statuses = [];
  for (let asked = 0; asked < count; asked++) statuses.push((await ask(standIn, `${query}&from=${from}`)).status);
  return statuses;
}

test("slow answers come that late, and whole", async () => {
  const { standIn } = await start({ kind: "slow", ms: 60 }, { kind: "slow", ms: 60 });
  const before = performance.now();
  expect((await askPage(standIn)).events).toHaveLength(100);
  expect(performance.now() - before).toBeGreaterThan(115);
});

test("a hanging request is never answered, and does not keep the server from closing", async () => {
  const { standIn } = await start({ kind: "hang", times: 2 });
  const patience = new AbortController();
  const givenUp = expect(ask(standIn, query, { signal: patience.signal })).rejects.toThrow("too long");
  await expect.poll(() => standIn.requests.length).toBe(1);
  patience.abort(new Error("too long"));
  await givenUp;
  const hanging = ask(standIn, query).catch((error: unknown) => error);
  await expect.poll(() => standIn.requests.length).toBe(2);
  await standIn.close();
  expect(await hanging).toBeInstanceOf(TypeError);
});

test("the next requests fail, then all is well again", async () => {
  const { standIn } = await start({ kind: "status", status: 503, times: 2 });
  expect(await statusesOf(standIn, 4)).toEqual([503, 503, 200, 200]);
  standIn.faults.rules.push({ kind: "status", status: 500, times: 1 });
  expect(await statusesOf(standIn, 2)).toEqual([500, 200]);
});

test("every third request fails", async () => {
  const { standIn } = await start({ kind: "status", status: 502, every: 3 });
  expect(await statusesOf(standIn, 7)).toEqual([200, 200, 502, 200, 200, 502, 200]);
});

test("requests fail by chance, the same ones each time", async () => {
  const statuses = await statusesOf((await start({ kind: "status", status: 500, probability: 0.3 })).standIn, 40);
  expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(4);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(20);
  const again = await start({ kind: "status", status: 500, probability: 0.3 });
  expect(await statusesOf(again.standIn, 40)).toEqual(statuses);
});

test("one page fails, the others do not", async () => {
  const { standIn } = await start({ kind: "status", status: 500, from: [100] });
  expect([await statusesOf(standIn, 2, 0), await statusesOf(standIn, 2, 100)]).toEqual([
    [200, 200],
    [500, 500],
  ]);
  expect((await ask(standIn, "/events/1234")).status).toBe(404);
});

test("Retry-After comes in seconds, as a date, or not at all", async () => {
  const { standIn } = await start(
    { kind: "status", status: 429, retryAfter: 7, times: 1 },
    { kind: "status", status: 429, retryAfter: new Date("2025-08-06T12:00:00Z"), times: 2 },
    { kind: "status", status: 429, times: 3 },
  );
  const answers = [await ask(standIn, query), await ask(standIn, query), await ask(standIn, query)];
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(answers.map(({ headers }) => headers.get("retry-after"))).toEqual([
    "7",
    "Wed, 06 Aug 2025 12:00:00 GMT",
    null,
  ]);
});

test("a dropped connection answers nothing", async () => {
  const { standIn } = await start({ kind: "drop", times: 1 });
  await expect(ask(standIn, query)).rejects.toThrow("fetch failed");
  expect((await ask(standIn, query)).status).toBe(200);
});

test("a cut answer begins well and breaks off", async () => {
  const { standIn } = await start({ kind: "cut" });
  const response = await ask(standIn, query);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

test.each([
  ["html", /^<!DOCTYPE html>.*<\/html>$/s],
  ["empty", /^$/],
  ["truncated", /^\[\{.*[^\]]$/s],
  ["object", /^\{"events":\[.*\]\}$/s],
] as const)("a garbled answer of the kind %s comes with status 200", async (kind, body) => {
  const response = await ask((await start({ kind })).standIn, query);
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(body);
});

test("a truncated answer is not JSON", async () => {
  const response = await ask((await start({ kind: "truncated" })).standIn, query);
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test("when the order shifts between pages, shows repeat and are missed, while the total stays", async () => {
  const { standIn, ids } = await start({ kind: "shuffled", places: 100 });
  const listed = (await askAll(standIn)).map(idOf);
  expect(listed).toHaveLength(230);
  expect(new Set(listed).size).toBeLessThan(230);
  expect((await askPage(standIn)).total).toBe(230);
  standIn.faults.rules = [];
  expect((await askAll(standIn)).map(idOf)).toEqual(ids);
});

test("shows move no further than they are let", async () => {
  const { standIn, ids } = await start({ kind: "shuffled", places: 5 });
  const { events } = await askPage(standIn);
  const moves = events.map((event, index) => Math.abs(ids.indexOf(idOf(event)) - index));
  expect(Math.max(...moves)).toBeGreaterThan(0);
  expect(Math.max(...moves)).toBeLessThanOrEqual(5);
});

test("a lost page is empty, a short one lacks records; the total does not show it", async () => {
  const { standIn, ids } = await start(
    { kind: "short", keep: 0, from: [100], times: 1 },
    { kind: "short", keep: 3, from: [0] },
  );
  expect(await askPage(standIn, 100)).toEqual({ events: [], total: 230 });
  expect((await askPage(standIn, 0)).events.map(idOf)).toEqual(ids.slice(0, 3));
  expect((await askPage(standIn, 100)).events).toHaveLength(100);
});

test("a shrunken programme is consistent: fewer shows, and a total that says so", async () => {
  const { standIn, ids } = await start();
  standIn.faults.shrink = 0.5;
  expect((await askAll(standIn)).map(idOf)).toEqual(ids.slice(0, 115));
  expect((await askPage(standIn)).total).toBe(115);
});

test("the total is missing or lies", async () => {
  const { standIn } = await start(
    { kind: "total", claim: "nothing", times: 1 },
    { kind: "total", claim: 4000, times: 2 },
  );
  expect((await askPage(standIn)).total).toBeNull();
  expect((await askPage(standIn)).total).toBe(4000);
  expect((await askPage(standIn)).total).toBe(230);
});

test.each<[Spoil, (event: Record<string, unknown>) => unknown, unknown]>([
  ["no title", (event) => "title" in event, false],
  ["blank title", (event) => String(event.title).trim(), ""],
  ["title is a number", (event) => event.title, 2025],
  ["no id and no url", (event) => "id" in event || "url" in event, false],
  ["null", (event) => event, null],
])("a bad record (%s) stands among good ones", async (spoil, look, seen) => {
  const { standIn, ids } = await start();
  standIn.faults.spoiled.set(ids[3] ?? "", spoil);
  const page = await (await ask(standIn, query)).json();
  expect(page).toHaveLength(100);
  expect(look(page[3])).toBe(seen);
  expect([page[2], page[4]].map(idOf)).toEqual([ids[2], ids[4]]);
});

test("a deleted show is seen only by those who ask for changes", async () => {
  const { standIn, ids } = await start();
  const [gone = ""] = ids;
  standIn.faults.deleted.add(gone);
  expect((await askAll(standIn)).map(idOf)).toEqual(ids.slice(1));
  expect((await askPage(standIn)).total).toBe(229);
  expect((await ask(standIn, `/events/${gone}`)).status).toBe(404);
  const changes = await (await ask(standIn, "/events?year=2025&modified_from=2025-12-31+00%3A00%3A00")).json();
  expect(changes.map((event: { status: string }) => event.status)).toEqual(["deleted"]);
});

test("deleted shows may be listed to everybody, marked", async () => {
  const { standIn, ids } = await start();
  standIn.faults.deleted.add(ids[0] ?? "");
  standIn.faults.listDeleted = true;
  const { events, total } = await askPage(standIn);
  expect(total).toBe(230);
  expect(events.slice(0, 2).map(({ status }) => status)).toEqual(["deleted", "active"]);
});

test("no fault hides a wrong signature, and a refused request uses none up", async () => {
  const { standIn } = await start({ kind: "status", status: 503, times: 1 });
  expect((await fetch(`${standIn.url}/events?key=${standIn.key}`)).status).toBe(403);
  expect((await ask(standIn, query)).status).toBe(503);
});

test("faults of several kinds hit the same request together", async () => {
  const faults: Fault[] = [
    { kind: "short", keep: 2 },
    { kind: "total", claim: 7 },
    { kind: "shuffled", places: 0 },
  ];
  const { standIn, ids } = await start(...faults);
  const { events, total } = await askPage(standIn);
  expect([events.map(idOf), total]).toEqual([ids.slice(0, 2), 7]);
});
