import { expect, test } from "vitest";
import { openRawConnection } from "../support/raw-connection.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import { openTestSite, setUpDatabase, setUpSite } from "../support/set-up.ts";

const origin = "https://front-row.example";
const otherHosts = [
  ..."www.front-row.example 127.0.0.1:3000 [::1]:3000 10.20.30.40 front-row.example:8443".split(" "),
  ..."front-row.example. front-row.example.elsewhere.example".split(" "),
];

const database = await setUpDatabase();
const site = await setUpSite(database, { ORIGIN: origin, TRUSTED_PROXIES: "127.0.0.1", METRICS_TOKEN: "" });

/** Requests of different clients are independent. */
let clients = 0;
const newClient = () => ({ "X-Forwarded-For": `192.0.2.${++clients}` });

const request = (
  path: string,
  host: string,
  options: { method?: string; headers?: Record<string, string> } = {},
) => requestWithHost(site.origin + path, host, { headers: newClient(), ...options });

test.each(otherHosts)("a page of %s is redirected to the same path and query of the origin", async (host) => {
  const paths = "/ /?search=a%20b&page=2 /auth /no-such-page //elsewhere.example/x /?code=1".split(" ");
  for (const path of paths) {
    for (const method of ["GET", "HEAD"]) {
      const response = await request(path, host, { method });
      expect([response.status, response.headers.get("Location")]).toEqual([302, origin + path]);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(await response.text()).toBe("");
    }
  }
});

test("a page of the origin's host is sent, however it is written", async () => {
  for (const host of ["front-row.example", "FRONT-ROW.example", "front-row.example:443"])
    for (const path of ["/", "/auth"]) {
      const { status, headers } = await request(path, host);
      expect([status, headers.get("Strict-Transport-Security")]).toEqual([200, "max-age=31536000"]);
    }
});

test.each([
  ["a proxy may leave out the port of the origin", "http://front-row.example:8080", { "front-row.example:8080": 200, "front-row.example": 200, "front-row.example:80": 200, "www.front-row.example": 302,
  }],
  ["without ORIGIN every host gets pages: a port may be forwarded under another number", "", { "localhost:8080": 200, "127.0.0.1:3000": 200, "192.168.0.10:3000": 200,
  }],
] as const)("%s", async (_, ORIGIN, statuses) => {
  const other = await openTestSite({ DATABASE_URL: database.url, ORIGIN });
  for (const [host, status] of Object.entries(statuses))
    expect([host, (await requestWithHost(`${other.origin}/auth`, host)).status]).toEqual([host, status]);
}); // biome-ignore format: a table of hosts

test.each(otherHosts.slice(0, 5))("API, health, files and sign-ins answer at %s, too", async (host) => {
  const headers = { ...newClient(), apikey: "front-row-public" };
  const paths = "/api/shows /api/openapi.json /healthz /readyz /favicon.svg /auth/v1/settings".split(" ");
  for (const path of paths)
    expect([path, (await request(path, host, { headers })).status]).toEqual([path, 200]);
});

async function send(...lines: string[]): Promise<string> {
  const { socket, closed } = await openRawConnection(site.origin);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return closed;
}

test.each(["/healthz", "/readyz", "/healthz?from=balancer", "/"])(
  "health checks in HTTP/1.0 of %s get 200 without Host",
  async (path) => {
    const hosts = path === "/" ? [] : ["10.0.0.7:3000", "[::1]:8080", "front-row", "elsewhere.example"];
    for (const header of ["User-Agent: check", "Host:", ...hosts.map((host) => `Host: ${host}`)])
      expect(await send(`GET ${path} HTTP/1.0`, header)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(`HEAD ${path} HTTP/1.0`)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
  },
);
