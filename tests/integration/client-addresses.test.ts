import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inventReviewers, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { givenRefresh, givenReview, givenShows } from "../support/given.ts";
import { sendRequest } from "../support/request-with-host.ts";
import { setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";

const { db, url } = await setUpDatabase();
const folder = await setUpFolder();

interface Sent {
  status: number;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

const common = { Host: "front-row.example", apikey: "front-row-public", "Accept-Encoding": "br" };

async function send(origin: string, { status, path, method = "GET", headers, body }: Sent): Promise<void> {
  const options = { method, agent: false as const, headers: { ...common, ...headers }, body };
  const answered = async () => (await sendRequest(origin + path, options)).status;
  // A busy machine may draw no preview in time.
  await expect.poll(answered, { message: path }).toBe(status);
}

const gets: [status: number, paths: string][] = [
  [200, "/ /?page=2 /?search=show /?show=show-1 /auth /terms /robots.txt /sitemap.xml /auth/v1/settings"],
  [
    200,
    "/api/shows /api/shows?search=show /api/reviews?show_id=show-1 /api/shows/show-1/preview.png /api/preview.png",
  ],
  [200, "/?show=show-1&notes=yes /api/reviews?show_id=show-1&answer=yes /api/shows/show-1/badge.svg"],
  [303, "/auth/v1/callback?state=x&code=y"],
  [400, "/auth/v1/authorize?provider=nobody"],
  [404, "/nowhere /assets/gone.js /api/moderation/token"],
  [414, `/${"long".repeat(600)}`],
];

test("no client's address stays in memory after its request", { tags: "soak" }, async () => {
  await givenShows(db, 30);
  await givenRefresh(db);
  const ORIGIN = "http://front-row.example";
  const [author = expect.fail(), reviewer = expect.fail()] = await inventReviewers(db, ORIGIN, 2);
  const note_id = await givenReview(db, { user_id: author.id, notes: "A note." });
  const NODE_OPTIONS = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`;
  const logged = { LOG_LEVEL: "trace", NODE_OPTIONS };
  const site = await startSite({ DATABASE_URL: url, ORIGIN, TRUSTED_PROXIES: "127.0.0.1", ...logged });
  onTestFinished(() => site.stop().then());
  const review = { show_id: "show-2", user_id: reviewer.id, audience_interaction: "no", notes: "Mine." };
  const headers = reviewHeaders(reviewer);
  const refresh = { refresh_token: "x" };
  const requests: Sent[] = [
    ...gets.flatMap(([status, paths]) => paths.split(" ").map((path) => ({ status, path }))),
    { status: 302, path: "/?page=2", headers: { Host: "www.front-row.example" } },
    { status: 401, path: "/api/shows", headers: { apikey: "wrong" } },
    { status: 200, path: "/api/reviews/mine", headers },
    { status: 200, path: "/api/reviews", method: "PUT", headers, body: review },
    { status: 201, path: "/api/reports", method: "POST", body: { note_id, reason: "fake" } },
    { status: 400, path: "/auth/v1/token?grant_type=refresh_token", method: "POST", body: refresh },
  ];
  const addressOf = (index: number) => `203.0.113.${100 + index}`;
  for (const [index, sent] of requests.entries())
    for (const client of [addressOf(index), `2001:db8:77:${index}::beef`])
      await send(site.origin, { ...sent, headers: { ...sent.headers, "X-Forwarded-For": client } });
  site.process.kill("SIGUSR2");
  // The server writes the whole file before its response.
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  await send(site.origin, { status: 200, path: "/healthz" });
  const snapshot = readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "latin1");
  expect(snapshot).toContain("front-row.example");
  expect(requests.filter((_, index) => snapshot.includes(addressOf(index)))).toEqual([]);
  expect(snapshot).not.toMatch(/2001:db8:77:[\d:]{1,4}/);
});
