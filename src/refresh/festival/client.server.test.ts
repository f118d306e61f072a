import { createServer, type RequestListener } from "node:http";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";
import { parseRetryAfter } from "../../lib/responses.ts";
import { type FestivalApi, FestivalApiError, fetchPage, sign } from "./client.server.ts";
import { fetchProgramme } from "./fetch-programme.server.ts";

/** Sends the responses in order, then repeats the last one. Records URLs and log lines. */
async function startApi(...responses: RequestListener[]) {
  const urls: string[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url ?? "");
    (responses.length > 1 ? responses.shift() : responses[0])?.(request, response);
  });
  const url = await listenOnLoopback(server, 0);
  onTestFinished(() => closeAtOnce(server));
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (logLine) => void lines.push(logLine) });
  const credentials = { key: "the key's", secret: "s3cret" };
  const api: FestivalApi = { url, ...credentials, log, retryDelay: 1 };
  return { api, urls, lines };
}

const list =
  (records: unknown[], headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response
      .writeHead(200, { "content-type": "application/json; charset=utf8", ...headers })
      .end(JSON.stringify(records));
const status =
  (code: number, headers: Record<string, string> = {}, body = "<h1>No</h1>"): RequestListener =>
  (_, response) =>
    void response.writeHead(code, headers).end(body);
const hang: RequestListener = () => {};

const page = { year: 2025, from: 300 };

/** The error that `fetchPage` rejects with. */
async function fetchError(api: FestivalApi, signal?: AbortSignal) {
  const error = await fetchPage(api, { ...page, signal }).catch((thrown: unknown) => thrown);
  if (!(error instanceof FestivalApiError)) throw new Error(`failed with ${error}`);
  return error;
}

test.each([
  ["mysecret", "/events?key=mykey", "9c638d91ba50f39da6ecc1d4e8846ae30c318f55"],
  ["test-secret", "/events/1234?key=test-key", "93604dba44ed6a988bb6b25f480c66f1d7978ec1"],
  ["test-secret", "/events?title=%22Foo+Bar%22&key=test-key", "b313169e84c3922f07c6010e2191486a5192c039"],
  ["test-secret", "/events?artist=Am%C3%A9lie&key=test-key", "6fdb17738b2fcb841105585fa02c8052075c3d89"],
  ["456", "/events?key=123", "742969faae86a4ba4223c7d93d05ead4b1397c23"],
  ["fakeSecretKey", "/events?title=some%20Item&key=fakeKey", "786b76e82c2951f124ebfa166569cca154796075"],
])("with %s, %s is signed as the API's own clients sign it", (secret, pathAndQuery, signature) => {
  expect(sign(pathAndQuery, secret)).toBe(signature);
});

test("a page is requested with the year, and signed over exactly the bytes that are sent", async () => {
  const { api, urls } = await startApi(list([{ id: 1 }], { "x-total-results": "3893" }));
  expect(await fetchPage(api, page)).toEqual({ records: [{ id: 1 }], total: 3893 });
  const [path, signature] = (urls[0] ?? "").split("&signature=");
  expect(path).toBe("/events?festival=fringe&year=2025&size=100&from=300&key=the%20key%27s");
  expect(signature).toBe(sign(path ?? "", api.secret));
});

test.each([undefined, "", "many"])("the total is unknown when x-total-results is %j", async (total) => {
  const { api } = await startApi(list([], total === undefined ? {} : { "x-total-results": total }));
  expect(await fetchPage(api, page)).toEqual({ records: [], total: null });
});

test.each([
  ["HTTP 500", status(500)],
  ["HTTP 503", status(503, { "retry-after": "0" })],
  ["HTTP 429", status(429)],
  ["HTML", status(200, { "content-type": "text/html" })],
  ["an empty body", status(200, {}, "")],
  ["half a body", status(200, {}, '[{"id":1},{"i')],
  ["an object", status(200, {}, '{"error":"Event not found"}')],
  ["null", status(200, {}, "null")],
  ["a dropped connection", (request) => void request.socket.destroy()],
  [
    "a connection dropped during the body",
    (_, response) =>
      void response.writeHead(200, { "content-length": 100 }).write("[", () => response.destroy()),
  ],
  ["a body that never ends", (_, response) => void response.writeHead(200).write("[")],
] satisfies [string, RequestListener][])("a page is retried after %s", async (_, response) => {
  const { api, urls, lines } = await startApi(response, list([{ id: 1 }]));
  expect(await fetchPage({ ...api, timeout: 2_000 }, page)).toMatchObject({ records: [{ id: 1 }] });
  expect(urls).toHaveLength(2);
  expect(lines).toHaveLength(1);
});

test.each([
  ...[401, 403].map((status) => [status, "FESTIVAL_API_SECRET"] as const),
  ...[301, 400, 404].map((status) => [status, String(status)] as const),
])("HTTP %i is not retried, and the error says %s", async (httpStatus, said) => {
  const { api, urls } = await startApi(status(httpStatus, { location: "http://127.0.0.1:1/" }));
  expect((await fetchError(api)).message).toContain(said);
  expect(urls).toHaveLength(1);
});

test("the next attempt waits as long as Retry-After says", async () => {
  const { api } = await startApi(status(429, { "retry-after": "1" }), list([]));
  const started = performance.now();
  await fetchPage(api, page);
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
});

test("Retry-After is parsed in seconds and as a date, and ignored if invalid", () => {
  const now = Date.parse("Sat, 02 Aug 2025 10:00:00 GMT");
  expect(parseRetryAfter("90", now)).toBe(90_000);
  expect(parseRetryAfter("Sat, 02 Aug 2025 10:00:30 GMT", now)).toBe(30_000);
  for (const value of ["Sat, 02 Aug 2025 09:00:00 GMT", "soon", "", "-5", null])
    expect(parseRetryAfter(value, now)).toBe(0);
});

test("an endless body is cancelled before it fills the memory", async () => {
  const chunk = Buffer.alloc(1 << 20, " ");
  const { api, urls } = await startApi((_, response) => {
    response.writeHead(200).on("drain", flood);
    function flood() {
      while (!response.destroyed && response.write(chunk));
    }
    flood();
  });
  expect((await fetchError(api)).message).toContain("5 MB");
  expect(urls).toHaveLength(1);
});

test("a list that never ends fails", async () => {
  const { api } = await startApi(list([], { "x-total-results": "1000000" }));
  await expect(fetchProgramme(api, { year: 2025, listed: [] })).rejects.toThrow(
    "The festival's list does not end.",
  );
});

test("a page fails after five attempts; no error or log line has the key, the secret or a signature", async () => {
  const { api, urls, lines } = await startApi((request) => void request.socket.destroy());
  const error = await fetchError(api);
  expect(urls).toHaveLength(5);
  const unavailable = await fetchError({ ...api, url: "http://127.0.0.1:1" });
  const texts = [...lines, String(error), error.stack, String(unavailable), JSON.stringify(error)];
  for (const text of texts) expect(text).not.toMatch(/the( |%20|\+)key|s3cret|signature/i);
  expect(lines).toHaveLength(8);
});

test.each<[string, RequestListener, logged: number]>([
  ["a request", hang, 0],
  ["a wait between two attempts", status(429, { "retry-after": "300" }), 1],
])("aborting ends %s at once, without a retry", async (_, response, logged) => {
  const { api, urls, lines } = await startApi(response);
  const controller = new AbortController();
  const fetched = fetchPage(api, { ...page, signal: controller.signal });
  await vi.waitUntil(() => urls.length === 1 && lines.length === logged, 10_000);
  controller.abort(new Error("enough"));
  await expect(fetched).rejects.toThrow(/enough|aborted/);
  expect(urls).toHaveLength(1);
});
