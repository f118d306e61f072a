/**
 * A thread that answers requests with a cached list and parses festival records. Counts the steps of each: how often V8 runs a
 * block of our code or of a package. Loads the code itself, because V8 counts only in new code.
 */
import type { IncomingMessage } from "node:http";
import { Session } from "node:inspector/promises";
import { parentPort } from "node:worker_threads";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const { Hono } = await import("hono");
const { YEAR } = await import("../../src/domain/programme.ts");
const { parseShowQuery } = await import("../../src/domain/show-query.ts");
const { createConstantResponse } = await import("../../src/http/cache/response-cache.server.ts");
const { sendCached } = await import("../../src/http/cache/send-cached.server.ts");
const { createNetworksOf } = await import("../../src/http/clients/client-address.server.ts");
const { parseQuery } = await import("../../src/http/requests/query-parameters.server.ts");
const { parseRecord } = await import("../../src/refresh/festival/record-parser.server.ts");
const { showsParameters } = await import("../../src/shows/shows-api-schema.server.ts");
const response = createConstantResponse("text/plain", Buffer.from("here"));
const networksOf = createNetworksOf(["10.0.0.0/8"]);
const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
app.onError((_, c) => sendCached(c, response));
app.get("/", (c) => {
  networksOf(c.env.incoming);
  parseShowQuery(new URL(c.req.url).searchParams);
  parseQuery(c, showsParameters);
  return sendCached(c, response);
});

async function takeSteps(): Promise<number> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => url.startsWith("file:"))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0);
}

export type CountedRequest = { query: string; headers: Record<string, string> };

parentPort?.on("message", async (counted: CountedRequest | { record: object }) => {
  await takeSteps();
  if ("record" in counted) {
    parseRecord(counted.record, YEAR);
    return parentPort?.postMessage(await takeSteps());
  }
  const { query, headers } = counted;
  const incoming = { socket: { remoteAddress: "10.0.0.1" }, headers };
  await app.request(`/?${query}`, { headers }, { incoming });
  parentPort?.postMessage(await takeSteps());
});
