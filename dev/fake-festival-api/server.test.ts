import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { loadProgramme } from "../invented-data.ts";
import { fetchAll, fetchPage, fetchSigned } from "./client.ts";
import type { FestivalEvent } from "./event.ts";
import { idOf } from "./listing.ts";
import { type FakeFestivalApiOptions, startFakeFestivalApi } from "./server.ts";
import { sign } from "./signature.ts";

interface StartOptions extends Omit<FakeFestivalApiOptions, "programme"> {
  programme?: FestivalEvent[];
}

async function start({ programme = loadProgramme({ size: 230 }), ...options }: StartOptions = {}) {
  const fakeApi = await startFakeFestivalApi({ programme: () => programme, ...options });
  onTestFinished(() => fakeApi.close());
  return fakeApi;
}

test("all pages together list every show exactly once, and the total is their number", async () => {
  const programme = loadProgramme();
  const fakeApi = await start({ programme });
  const listed = await fetchAll(fakeApi);
  expect(listed.map(idOf)).toEqual(programme.map(idOf));
  expect(new Set(listed.map(idOf)).size).toBe(3893);
  expect((await fetchPage(fakeApi)).total).toBe(3893);
  expect(fakeApi.requests).toHaveLength(39 + 1);
});

test("a list is a bare array of records, with the real API's Content-Type", async () => {
  const programme = loadProgramme({ size: 30 });
  const response = await fetchSigned(
    await start({ programme }),
    `/events?festival=fringe&year=${YEAR}&size=100`,
  );
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf8");
  expect(response.headers.get("x-total-results")).toBe("30");
  expect(await response.text()).toBe(JSON.stringify(programme));
});

test("a page holds 25 records by default, and at most 100", async () => {
  const fakeApi = await start();
  const lengthOf = async (query: string) =>
    (await (await fetchSigned(fakeApi, `/events?year=${YEAR}${query}`)).json()).length;
  expect(await lengthOf("")).toBe(25);
  expect(await lengthOf("&size=7")).toBe(7);
  expect(await lengthOf("&size=100")).toBe(100);
  expect(await lengthOf("&size=101")).toBe(100);
  expect(await lengthOf("&size=100&from=200")).toBe(30);
  expect(await lengthOf("&size=100&from=230")).toBe(0);
});

test("only the requested festival and year are listed; the year may be a string", async () => {
  const [a, b, c, d] = loadProgramme({ size: 4 });
  if (!a || !b || !c || !d) throw new Error("The programme is too small");
  const programme = [
    a,
    { ...b, festival_id: "film" },
    { ...c, year: String(YEAR) },
    { ...d, year: YEAR - 1 },
  ];
  const fakeApi = await start({ programme });
  const idsOf = async (query: string) =>
    (await (await fetchSigned(fakeApi, `/events?${query}`)).json()).map(idOf);
  expect(await idsOf(`festival=fringe&year=${YEAR}`)).toEqual([a, c].map(idOf));
  expect(await idsOf(`festival=film&year=${YEAR}`)).toEqual([idOf(b)]);
  expect(await idsOf(`year=${YEAR}`)).toEqual([a, b, c].map(idOf));
  expect(await idsOf(`festival=fringe&year=${YEAR - 1}`)).toEqual([idOf(d)]);
});

test.each([
  [`${YEAR}-01-15T00:00:00Z`, 230],
  [`${YEAR}-08-10T12:00:00Z`, 230],
  [`${YEAR + 1}-01-14T23:59:59Z`, 230],
  [`${YEAR + 1}-01-15T00:00:00Z`, 0],
  [`${YEAR}-01-14T23:59:59Z`, 0],
])("a request without a year at %s finds %i shows of the year", async (time, count) => {
  const response = await fetchSigned(await start({ now: () => new Date(time) }), "/events?festival=fringe");
  expect(response.headers.get("x-total-results")).toBe(String(count));
});

test("a request without a valid key and signature is refused with 403", async () => {
  const fakeApi = await start({ key: "mykey", secret: "mysecret" });
  const validSignature = "9c638d91ba50f39da6ecc1d4e8846ae30c318f55";
  const statusOf = async (target: string) => (await fetch(`${fakeApi.url}${target}`)).status;
  expect(await statusOf(`/events?key=mykey&signature=${validSignature}`)).toBe(200);
  expect(await statusOf("/events?key=mykey")).toBe(403);
  expect(await statusOf(`/events?key=mykey&signature=${validSignature.replace("9", "8")}`)).toBe(403);
  expect(await statusOf(`/events?key=other&signature=${sign("/events?key=other", "mysecret")}`)).toBe(403);
  expect(await statusOf(`/events?signature=${sign("/events", "mysecret")}`)).toBe(403);
  expect(await statusOf("/")).toBe(403);
  expect(fakeApi.requests).toContain("/events?key=mykey");
});

test("the signature is checked on the raw bytes of the request target", async () => {
  const fakeApi = await start({ key: "k", secret: "s" });
  const { port } = new URL(fakeApi.url);
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
    expect(fakeApi.requests.at(-1)).toBe(target);
  }
});
