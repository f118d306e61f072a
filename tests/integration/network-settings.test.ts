import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, expect, test } from "vitest";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";
import { bareEnvironment } from "../support/environment.ts";
import { setUpFolder } from "../support/set-up.ts";
import { testRows } from "../support/test-rows.ts";

const config = new URL("../../src/config/environment.server.ts", import.meta.url).href;
const folder = await setUpFolder();
const names = "subjectAltName=DNS:festival.example,DNS:localhost";
const subject = ["-subj", "/CN=festival.example", "-addext", names];
const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "ca.pem")];
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
spawnSync("openssl", ["req", "-x509", ...newKey, ...subject, ...files]);
const [key, cert] = ["key.pem", "ca.pem"].map((name) => readFileSync(join(folder, name)));
/** With a certificate for `festival.example`, of its own authority. */
const secure = createTlsServer({ key, cert }, (_request, response) => response.end("secure"));
const plain = createServer((_request, response) => response.end("plain"));
let proxied: string[] = [];
const proxy = createServer((request, response) => {
  proxied.push(`${request.method} ${request.url}`);
  response.end("plain");
});
proxy.on("connect", ({ url }, client: Socket) => {
  proxied.push(`CONNECT ${url}`);
  const to = connect(Number(url?.endsWith(":443") ? securePort : plainPort), "127.0.0.1", () => {
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.pipe(to).pipe(client);
  });
  for (const [socket, other] of [
    [client, to],
    [to, client],
  ] as const)
    socket.on("error", () => other.destroy());
});
const servers = [secure, plain, proxy];
afterAll(() => Promise.all(servers.map(closeAtOnce)));
const origins = await Promise.all(servers.map((server) => listenOnLoopback(server, 0)));
const [securePort = "", plainPort = ""] = origins.map((origin) => new URL(origin).port);
const proxyUrl = origins[2] ?? "";
beforeEach(() => {
  proxied = [];
});

/** Prints the response or the error, and the time to connect to an address. */
async function request(url: string, settings: string[], environment: Record<string, string> = {}) {
  writeFileSync(join(folder, ".env"), settings.join("\n"));
  const script = `
    const { loadConfig } = await import(${JSON.stringify(config)});
    const { getDefaultAutoSelectFamilyAttemptTimeout } = await import("node:net");
    try {
      loadConfig();
      console.log(await (await fetch(${JSON.stringify(url)})).text(), getDefaultAutoSelectFamilyAttemptTimeout());
    } catch ({ message, cause }) { console.log(message, cause?.code ?? ""); }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    env: { ...bareEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return (await text(child.stdout)).trim();
}

testRows<[url: string, settings: string, environment: string, printed: string]>(4, [
  ["http://festival.example/events", "HTTP_PROXY=PROXY", "", "plain"],
  ["https://festival.example/", "HTTPS_PROXY=PROXY NODE_EXTRA_CA_CERTS=CA", "", "secure"],
  ["https://festival.example/", "HTTPS_PROXY=PROXY", "", "CERT"],
  ["https://localhost:SECURE/", "NODE_EXTRA_CA_CERTS=CA", "", "secure"],
  ["http://festival.example/", "NODE_USE_ENV_PROXY=1", "HTTP_PROXY", "plain"],
  ["http://festival.example/", "", "HTTP_PROXY", "fetch failed"],
  ["http://127.0.0.1:PLAIN/", "NODE_USE_ENV_PROXY=1", "HTTP_PROXY", "plain"],
  ["http://localhost:PLAIN/", "HTTP_PROXY=PROXY", "", "plain"],
  ["http://festival.invalid/", "HTTP_PROXY=PROXY NO_PROXY=.invalid", "", "ENOTFOUND"],
  ["http://127.0.0.1:PLAIN/", "HTTP_PROXY=PROXY NO_PROXY=.invalid", "", "plain"],
  ["http://festival.example/", "http_proxy=PROXY", "", "plain"],
  ["http://festival.example/", "NODE_USE_ENV_PROXY=0 HTTP_PROXY=PROXY", "", "fetch failed"],
  ["https://localhost:SECURE/", "", "", "CERT"],
])("%s with the settings '%s', and a proxy in '%s', is %s", async (url, settings, name, printed) => {
  const lines = settings
    .replaceAll(/(?<=proxy=)PROXY/gi, proxyUrl)
    .replace("=CA", `=${join(folder, "ca.pem")}`);
  const address = url.replace("SECURE", securePort).replace("PLAIN", plainPort);
  const found = await request(address, lines.split(" "), name ? { [name]: proxyUrl } : {});
  expect(found).toMatch(printed === "CERT" ? /CERT|SIGNED/ : printed);
  const isProxied = url.includes("festival.example") && printed !== "fetch failed";
  expect(proxied).toEqual(isProxied ? [expect.stringContaining("festival.example")] : []);
});

test("an address of a slow host has more than a second to connect before the next one is tried", async () => {
  const [printed, timeout] = (await request(`http://127.0.0.1:${plainPort}/`, [])).split(" ");
  expect(printed).toBe("plain");
  expect(Number(timeout)).toBeGreaterThan(1_200);
});

testRows<[string, RegExp]>(2, [
  ["NODE_OPTIONS=--use-env-proxy", /^NODE_OPTIONS .* set it in the environment/],
  ["HTTP_PROXY=ftp://user:hush@proxy.example", /^HTTP_PROXY and HTTPS_PROXY must be/],
  ["NODE_EXTRA_CA_CERTS=/etc/passwd", /^NODE_EXTRA_CA_CERTS must be .*no certificate/],
  ["NODE_TLS_REJECT_UNAUTHORIZED=0", /^NODE_TLS_REJECT_UNAUTHORIZED .* set it in the environment/],
  ["SSL_CERT_FILE=/etc/ssl/ca.pem", /^SSL_CERT_FILE .* set it in the environment/],
  ["HTTPS_PROXY=proxy:3128", /^HTTP_PROXY and HTTPS_PROXY must be/],
  ["NODE_EXTRA_CA_CERTS=/no/such/file", /^NODE_EXTRA_CA_CERTS must be .*ENOENT/],
])("%s is refused in one line, without a password", async (setting, message) => {
  const refused = await request("http://festival.example/", [setting]);
  expect(refused).toMatch(message);
  expect(refused.split("\n")).toHaveLength(1);
  expect(refused).not.toContain("hush");
});
