import { describe, expect, test } from "vitest";
import { requestWithHost } from "../support/request-with-host.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import { openSite } from "../support/site.ts";

const origin = "https://front-row.example";
const otherHosts = [
  "www.front-row.example",
  "127.0.0.1:3000",
  "[::1]:3000",
  "10.20.30.40",
  "front-row.example:8443",
  "front-row.example.",
  "front-row.example.elsewhere.example",
];

const database = await setUpDatabase();
const site = await setUpSite(database, { ORIGIN: origin, TRUSTED_PROXIES: "127.0.0.1" });

/** Requests of different clients are independent. */
let clients = 0;
const newClient = () => ({ "X-Forwarded-For": `192.0.2.${++clients}` });

function request(
  path: string,
  host: string,
  options: { method?: string; headers?: Record<string, string> } = {},
) {
  return requestWithHost(site.origin + path, host, { headers: newClient(), ...options });
}

describe("a page of another host", () => {
  test.each(otherHosts)("%s is redirected to the same path and query of the origin", async (host) => {
    for (const path of [
      "/",
      "/?search=a%20b&page=2",
      "/auth",
      "/no-such-page",
      "//elsewhere.example/x",
      "/?code=1",
    ]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await request(path, host, { method });
        expect([response.status, response.headers.get("Location")]).toEqual([302, origin + path]);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
        expect(await response.text()).toBe("");
      }
    }
  });

  test("is redirected for every visitor, whoever came before", async () => {
    for (let visitor = 1; visitor <= 5; visitor++) {
      expect((await request("/", "www.front-row.example")).status).toBe(302);
    }
  });

  test("is sent in a loop of redirects, which a proxy that replaces Host would cause", async () => {
    for (const path of ["/", "/auth", "/?page=2"]) {
      const headers = newClient();
      let page = await request(path, "upstream:3000", { headers });
      let redirects = 0;
      for (; page.status === 302; redirects++) page = await request(path, "upstream:3000", { headers });
      // Browsers give up after 16 redirects, the strictest of them.
      expect(redirects).toBeLessThan(16);
      expect(page.status).toBe(200);
      // Neither is it replayed to others, nor kept by a shared cache.
      expect(page.headers.get("Cache-Control")).toBe("no-store");
      expect((await request(path, "upstream:3000")).status).toBe(302);
    }
    const warnings = site.log.filter((line) => line.includes("A proxy replaces the Host header"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("upstream:3000");
  });
});

test.each(["front-row.example", "FRONT-ROW.example", "front-row.example:443"])(
  "a page of the origin's host, written %s, is sent",
  async (host) => {
    for (const path of ["/", "/auth"]) expect((await request(path, host)).status).toBe(200);
  },
);

test("a proxy may leave out the port of the origin", async () => {
  const onPort = await openSite({ DATABASE_URL: database.url, ORIGIN: "http://front-row.example:8080" });
  const statusAt = async (host: string) =>
    (await requestWithHost(`${onPort.origin}/`, host, { headers: newClient() })).status;
  expect(await Promise.all(["front-row.example:8080", "front-row.example"].map(statusAt))).toEqual([
    200, 200,
  ]);
  expect(await Promise.all(["front-row.example:80", "www.front-row.example"].map(statusAt))).toEqual([
    200, 302,
  ]);
  await onPort.stop();
});

test.each(otherHosts.slice(0, 5))(
  "API, health, files and sign-in protocol answer at %s, too",
  async (host) => {
    const headers = { ...newClient(), apikey: "front-row-public" };
    const paths = [
      "/api/shows",
      "/api/openapi.json",
      "/healthz",
      "/readyz",
      "/favicon.svg",
      "/auth/v1/settings",
    ];
    for (const path of paths) {
      expect([path, (await request(path, host, { headers })).status]).toEqual([path, 200]);
    }
  },
);

test("without ORIGIN every host gets pages: a port may be forwarded under another number", async () => {
  const local = await openSite({ DATABASE_URL: database.url, ORIGIN: "" });
  for (const host of ["localhost:8080", "127.0.0.1:3000", "192.168.0.10:3000"]) {
    expect((await requestWithHost(`${local.origin}/auth`, host)).status).toBe(200);
  }
  await local.stop();
});
