import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { fetchAll, fetchPage, fetchSigned } from "./client.ts";
import type { FestivalEvent } from "./event.ts";
import { idOf } from "./listing.ts";
import { inventProgramme } from "./programme.ts";
import { type FakeFestivalApiOptions, startFakeFestivalApi } from "./server.ts";
import { sign } from "./signature.ts";

interface StartOptions extends Omit<FakeFestivalApiOptions, "programme"> {
  programme?: FestivalEvent[];
}

async function start({ programme = inventProgramme({ size: 230 }), ...options }: StartOptions = {}) {
  const fake = await startFakeFestivalApi({ programme: () => programme, ...options });
  onTestFinished(() => fake.close());
  return fake;
}

test("the pages together list every show exactly once, as many as the total says", async () => {
  const programme = inventProgramme();
  const fake = await start({ programme });
  const listed = await fetchAll(fake);
  expect(listed.map(idOf)).toEqual(programme.map(idOf));
  expect(new Set(listed.map(idOf)).size).toBe(3893);
  expect((await fetchPage(fake)).total).toBe(3893);
  expect(fake.requests).toHaveLength(39 + 1);
});

test("the response is a bare array of records, with the real API's Content-Type", async () => {
  const programme = inventProgramme({ size: 30 });
  const response = await fetchSigned(await start({ programme }), "/events?festival=fringe&year=2025&size=100");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf8");
  expect(response.headers.get("x-total-results")).toBe("30");
  expect(await response.text()).toBe(JSON.stringify(programme));
});

test("a page holds 25 records by default, and at most 100", async () => {
  const fake = await start();
  const lengthOf = async (query: string) =>
    (await (await fetchSigned(fake, `/events?year=2025${query}`)).json()).length;
  expect(await lengthOf("")).toBe(25);
  expect(await lengthOf("&size=7")).toBe(7);
  expect(await lengthOf("&size=100")).toBe(100);
  expect(await lengthOf("&size=101")).toBe(100);
  expect(await lengthOf("&size=100&from=200")).toBe(30);
  expect(await lengthOf("&size=100&from=230")).toBe(0);
});

test("`from` counts results, not pages", async () => {
  const programme = inventProgramme({ size: 40 });
  const { events } = await fetchPage(await start({ programme }), 3, 2);
  expect(events.map(idOf)).toEqual(programme.slice(3, 5).map(idOf));
});

test("only the requested festival and year are listed; the year may be a string", async () => {
  const [a, b, c, d] = inventProgramme({ size: 4 });
  if (!a || !b || !c || !d) throw new Error("The programme is too small");
  const programme = [a, { ...b, festival_id: "film" }, { ...c, year: "2025" }, { ...d, year: 2024 }];
  const fake = await start({ programme });
  const idsOf = async (query: string) => (await (await fetchSigned(fake, `/events?${query}`)).json()).map(idOf);
  expect(await idsOf("festival=fringe&year=2025")).toEqual([a, c].map(idOf));
  expect(await idsOf("festival=film&year=2025")).toEqual([idOf(b)]);
  expect(await idsOf("year=2025")).toEqual([a, b, c].map(idOf));
  expect(await idsOf("festival=fringe&year=2024")).toEqual([idOf(d)]);
});

test.each([
  ["2025-01-15T00:00:00Z", 230],
  ["2025-08-10T12:00:00Z", 230],
  ["2026-01-14T23:59:59Z", 230],
  ["2026-01-15T00:00:00Z", 0],
  ["2025-01-14T23:59:59Z", 0],
])("without a year, a request at %s finds %i shows of 2025", async (time, count) => {
  const response = await fetchSigned(await start({ now: () => new Date(time) }), "/events?festival=fringe");
  expect(response.headers.get("x-total-results")).toBe(String(count));
});

test("with `modified_from` only what has changed since is listed", async () => {
  const programme = inventProgramme({ size: 200 });
  const fake = await start({ programme });
  const response = await fetchSigned(fake, "/events?year=2025&modified_from=2025-06-01+00%3A00%3A00&size=100");
  const changed = programme.filter(({ updated = "" }) => updated >= "2025-06-01 00:00:00");
  expect(changed.length).toBeGreaterThan(20);
  expect(response.headers.get("x-total-results")).toBe(String(changed.length));
  expect((await response.json()).map(idOf)).toEqual(changed.slice(0, 100).map(idOf));
});

test("one show is found by its id, also where the record names it only in its URL", async () => {
  const programme = inventProgramme({ size: 230 });
  const fake = await start({ programme });
  const withoutId = programme.find((event) => event.id === undefined);
  for (const event of [programme[0], withoutId]) {
    if (!event) throw new Error("The programme has no such show");
    const response = await fetchSigned(fake, `/events/${idOf(event)}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(event);
  }
});

test("an unknown show is 404 with the API's own words", async () => {
  const response = await fetchSigned(await start(), "/events/1234");
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ error: "Event not found" });
});

test("a request without the right key and signature is refused and gets no shows", async () => {
  const fake = await start({ key: "mykey", secret: "mysecret" });
  const good = "9c638d91ba50f39da6ecc1d4e8846ae30c318f55";
  const statusOf = async (target: string) => (await fetch(`${fake.url}${target}`)).status;
  expect(await statusOf(`/events?key=mykey&signature=${good}`)).toBe(200);
  expect(await statusOf("/events?key=mykey")).toBe(403);
  expect(await statusOf(`/events?key=mykey&signature=${good.replace("9", "8")}`)).toBe(403);
  expect(await statusOf(`/events?key=other&signature=${sign("/events?key=other", "mysecret")}`)).toBe(403);
  expect(await statusOf(`/events?signature=${sign("/events", "mysecret")}`)).toBe(403);
  expect(await statusOf("/")).toBe(403);
  expect(fake.requests).toContain("/events?key=mykey");
});

test("the signature is checked on the bytes that came over the wire, however odd", async () => {
  const fake = await start({ key: "k", secret: "s" });
  const { port } = new URL(fake.url);
  for (const message of [
    "/events?x=a%20b+c&key=k",
    "/events?x=%c3%A9|{}^`&key=k",
    "/events?x=\"'<>\\&key=k",
    "/events?&&x&key=k",
  ]) {
    const target = `${message}&signature=${sign(message, "s")}`;
    const socket = connect(Number(port), "127.0.0.1");
    socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    expect(fake.requests.at(-1)).toBe(target);
  }
});

test("what a test changes in the programme is listed at once", async () => {
  const programme = inventProgramme({ size: 30 });
  const fake = await start({ programme });
  programme.pop();
  expect((await fetchPage(fake)).total).toBe(29);
});

test("a port in use is an error that says so", async () => {
  const fake = await start();
  await expect(start({ port: Number(new URL(fake.url).port) })).rejects.toThrow("EADDRINUSE");
});

test("closing stops it, and closing again does no harm", async () => {
  const fake = await start();
  await fetchPage(fake);
  await fake.close();
  await fake.close();
  await expect(fetchPage(fake)).rejects.toThrow();
});
