import { expect, test } from "vitest";
import { openRawConnection } from "../support/raw-connection.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";

const site = await setUpSite(await setUpDatabase(), {
  METRICS_TOKEN: "",
  ORIGIN: "https://front-row.example",
});

/** Sends lines as they are on a connection of its own; resolves with what came until the server closed it. */
async function send(...lines: string[]): Promise<string> {
  const { socket, closed } = await openRawConnection(site.origin);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return closed;
}

test.each(["/healthz", "/readyz", "/healthz?from=balancer", "/"])(
  "GET %s in HTTP/1.0 gets 200 without Host, and with an empty one",
  async (path) => {
    expect(await send(`GET ${path} HTTP/1.0`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(`GET ${path} HTTP/1.0`, "User-Agent: check")).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(`GET ${path} HTTP/1.0`, "Host:")).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test.each(["/healthz", "/readyz"])("HEAD %s in HTTP/1.0 gets 200 and no body", async (path) => {
  expect(await send(`HEAD ${path} HTTP/1.0`)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
});

test("a health check may name any host", async () => {
  for (const host of ["10.0.0.7:3000", "[::1]:8080", "front-row", "elsewhere.example"]) {
    expect(await send("GET /healthz HTTP/1.0", `Host: ${host}`)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test("metrics without a token stay closed to a request without Host, which may come through a proxy", async () => {
  expect(await send("GET /metrics HTTP/1.0")).toMatch(/^HTTP\/1\.1 401 /);
});
