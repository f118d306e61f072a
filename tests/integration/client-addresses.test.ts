import { readdirSync, readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { inventReviewers, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { givenRefresh, givenReview, givenShows } from "../support/given.ts";
import { setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";

const { db, url } = await setUpDatabase();
const folder = await setUpFolder();

/** Sends a request on a connection of its own, as a proxy of this client. Resolves with the status. */
async function send(origin: string, method: string, path: string, headers: object, body?: object) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(origin + path, { method, agent: false, headers: { ...headers } });
  sent.on("error", reject).on("response", resolve);
  sent.end(body && JSON.stringify(body));
  const response = await promise;
  await text(response);
  return response.statusCode;
}

test("no client's address stays in memory once its request has been answered", async () => {
  await givenShows(db, 30);
  await givenRefresh(db);
  const [author = expect.fail(), reviewer = expect.fail()] = await inventReviewers(
    db,
    "http://front-row.example",
    2,
  );
  const note_id = await givenReview(db, { user_id: author.id, notes: "A note." });
  const site = await startSite({
    DATABASE_URL: url,
    ORIGIN: "http://front-row.example",
    TRUSTED_PROXIES: "127.0.0.1",
    LOG_LEVEL: "trace",
    NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`,
  });
  onTestFinished(() => site.stop().then());
  const review = { show_id: "show-2", user_id: reviewer.id, audience_interaction: "no", notes: "Mine." };
  const report = { note_id, reason: "fake" };
  const requests: [status: number, method: string, path: string, headers?: object, body?: object][] = [
    ...[
      "/",
      "/?page=2",
      "/?search=show",
      "/?show=show-1",
      "/auth",
      "/terms",
      "/robots.txt",
      "/sitemap.xml",
    ].map((path): [number, string, string] => [200, "GET", path]),
    [404, "GET", "/nowhere"],
    [404, "GET", "/assets/gone.js"],
    [414, "GET", `/${"long".repeat(600)}`],
    [302, "GET", "/?page=2", { Host: "www.front-row.example" }],
    ...[
      "/api/shows",
      "/api/shows?search=show",
      "/api/reviews?show_id=show-1",
      "/api/shows/show-1/preview.png",
    ].map((path): [number, string, string] => [200, "GET", path]),
    [401, "GET", "/api/shows", { apikey: "wrong" }],
    [201, "POST", "/api/reports", {}, report],
    [200, "PUT", "/api/reviews", reviewHeaders(reviewer), review],
    [200, "GET", "/api/reviews/mine", reviewHeaders(reviewer)],
    [404, "GET", "/api/moderation/token"],
    [200, "GET", "/auth/v1/settings"],
    [400, "POST", "/auth/v1/token?grant_type=refresh_token", {}, { refresh_token: "x" }],
    [400, "GET", "/auth/v1/authorize?provider=nobody"],
    [303, "GET", "/auth/v1/callback?state=x&code=y"],
  ];
  const addressOf = (index: number) => `203.0.113.${100 + index}`;
  const common = { Host: "front-row.example", apikey: "front-row-public", "Accept-Encoding": "br" };
  for (const [index, [status, method, path, headers, body]] of requests.entries())
    for (const client of [addressOf(index), `2001:db8:77:${index}::beef`]) {
      const sent = { ...common, ...headers, "X-Forwarded-For": client };
      expect([path, await send(site.origin, method, path, sent, body)]).toEqual([path, status]);
    }
  site.process.kill("SIGUSR2");
  // The server writes the whole file before it answers.
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  expect(await send(site.origin, "GET", "/healthz", common)).toBe(200);
  const snapshot = readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "latin1");
  expect(snapshot).toContain("front-row.example");
  const kept = requests.filter((_, index) => snapshot.includes(addressOf(index)));
  expect(kept.map(([, method, path]) => `${method} ${path}`)).toEqual([]);
  expect(snapshot).not.toMatch(/2001:db8:77:[\d:]{1,4}/);
});
