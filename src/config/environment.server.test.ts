import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { isLoopback } from "../lib/loopback.server.ts";
import { ConfigError } from "./config-error.server.ts";
import { parseConfig, readEnvironment } from "./environment.server.ts";

test("the configuration has its defaults without any variable", () => {
  expect(parseConfig({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    origin: "http://localhost:3000",
    dataDir: "./data",
    databaseUrl: undefined,
    publicClientKey: "front-row-public",
    festivalApi: null,
  });
});

test("the example file shows the defaults", () => {
  const example = parseEnv(readFileSync(new URL("../../.env.example", import.meta.url), "utf8"));
  expect(parseConfig(example)).toEqual(parseConfig({}));
});

test("an empty variable counts as unset, and the origin loses its slash", () => {
  expect(parseConfig({ PORT: "", DATABASE_URL: " ", ORIGIN: "https://front-row.example/" })).toMatchObject({
    port: 3000,
    databaseUrl: undefined,
    origin: "https://front-row.example",
  });
});

test("an empty variable of the environment leaves what the settings file says", () => {
  const folder = mkdtempSync(join(tmpdir(), "front-row-settings-"));
  const file = join(folder, ".env");
  writeFileSync(file, "GOOGLE_ISSUER=https://id.example\nMETRICS_TOKEN=from-file\nDATA_DIR=/file\n");
  const environment = { GOOGLE_ISSUER: "", METRICS_TOKEN: "  ", DATA_DIR: "/environment", LOG_LEVEL: "" };
  expect(readEnvironment(file, environment)).toEqual({
    GOOGLE_ISSUER: "https://id.example",
    METRICS_TOKEN: "from-file",
    DATA_DIR: "/environment",
    LOG_LEVEL: "",
  });
  rmSync(folder, { recursive: true });
});

test.each([
  ["127.0.0.1", ["http://localhost:4000", "http://127.0.0.1:4000"]],
  ["0.0.0.0", ["http://localhost:4000", "http://127.0.0.1:4000"]],
  ["localhost", ["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000"]],
  ["::", ["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000"]],
  ["::1", ["http://[::1]:4000"]],
  ["127.4.5.6", ["http://127.4.5.6:4000"]],
  ["192.0.2.7", ["http://192.0.2.7:4000"]],
  ["fe80::7%eth0", ["http://[fe80::7]:4000"]],
])(
  "without ORIGIN, a site on HOST %s names an address that answers, and a sign-in may return to %s",
  (HOST, origins) => {
    const { origin, redirectOrigins } = parseConfig({ HOST, PORT: "4000" });
    expect([origin, redirectOrigins]).toEqual([origins[0], origins]);
  },
);

test("with ORIGIN, a sign-in may return there alone", () => {
  const { origin, redirectOrigins } = parseConfig({ HOST: "::1", ORIGIN: "https://Site.example:8443/" });
  expect([origin, redirectOrigins]).toEqual(["https://site.example:8443", ["https://site.example:8443"]]);
});

const hiddenPart = [
  "https://hush@site.example",
  "https://me:hush@site.example/",
  "https://site.example?hush",
  "https://site.example/#hush",
  "https://*.hush.example",
  "https://hush..example",
  "https://hush.example.",
  "https:hush.example",
  "https:\\\\hush.example",
  "https://a b.hush.example",
  "ftp://hush.example",
  "hush.example",
  "//hush.example",
];
test.each([
  ["ORIGIN", [...hiddenPart, "https://site.example/hush", "https://site.example?", "https://site.example//"]],
  ["FESTIVAL_API_URL", [...hiddenPart, "https://site.example/hush"]],
  ["GOOGLE_ISSUER", hiddenPart],
  ["GITHUB_URL", hiddenPart],
  ["GITHUB_API_URL", hiddenPart],
  ["MODERATION_WEBHOOK_URL", hiddenPart.filter((url) => !url.includes("?"))],
  ["REDIRECT_URLS", [...hiddenPart.filter((url) => !/[?]|ftp/.test(url)), "https://site.example/hush/*"]],
])("%s is refused by its name if a part of the URL would have no effect", (name, urls) => {
  for (const url of urls) {
    const parse = () => parseConfig({ [name]: url });
    expect(parse, url).toThrow(new RegExp(`^The configuration is invalid: ${name}`));
    expect(parse, url).not.toThrow(/hush/);
  }
});

test("URLs with all that a setting may have are accepted", () => {
  const settings = {
    ORIGIN: "http://[::1]:8080",
    GOOGLE_ISSUER: "https://id.example/realms/fringe",
    GITHUB_URL: "https://git_hub.internal:8443",
    GITHUB_API_URL: "https://münchen.example/api/v3/",
    MODERATION_WEBHOOK_URL: "https://hooks.example/a?wait=true",
    REDIRECT_URLS: "https://app.example/in?a=b, app:/done",
  };
  expect(parseConfig(settings)).toMatchObject({
    origin: "http://[::1]:8080",
    moderationWebhook: { url: "https://hooks.example/a?wait=true" },
    redirectUrls: ["https://app.example/in?a=b", "app:/done"],
  });
});

test("each setting of the example file stands on a line of its own", () => {
  const lines = readFileSync(new URL("../../.env.example", import.meta.url), "utf8").split("\n");
  for (const line of lines) expect(line).toMatch(/^$|^# |^#?[A-Z_]+=[^#]*$/);
});

test("an operator has name, address and e-mail, or there is none", () => {
  const operator = { OPERATOR_NAME: "Ada", OPERATOR_ADDRESS: "1 Lane", OPERATOR_EMAIL: " ada@site.example " };
  expect(parseConfig(operator).operator).toEqual({
    name: "Ada",
    address: "1 Lane",
    email: "ada@site.example",
  });
  expect(parseConfig({ OPERATOR_NAME: " " }).operator).toBeNull();
  expect(() => parseConfig({ ...operator, OPERATOR_ADDRESS: "" })).toThrow(/OPERATOR_.*: set all or none/);
  expect(() => parseConfig({ ...operator, OPERATOR_EMAIL: "ada at site" })).toThrow(
    /OPERATOR_EMAIL: must be an e-mail address$/m,
  );
});

test("the webhook's address is https, or of this machine, and is never in an error", () => {
  const parse = (url: string, text = "") =>
    parseConfig({ MODERATION_WEBHOOK_URL: url, MODERATION_WEBHOOK_TEXT: text }).moderationWebhook;
  expect(parse("https://hooks.example/secret")).toEqual({
    url: "https://hooks.example/secret",
    hasText: false,
    format: "all",
  });
  expect(parse("http://127.0.0.1:8099/", "1")).toEqual({
    url: "http://127.0.0.1:8099/",
    hasText: true,
    format: "all",
  });
  expect(parse("")).toBeNull();
  for (const url of [
    "http://hooks.example/secret",
    "ftp://localhost/secret",
    "https://a:secret@b",
    "secret",
  ]) {
    expect(() => parse(url)).toThrow(/MODERATION_WEBHOOK_URL: must be an https URL/);
    expect(() => parse(url)).not.toThrow(/secret/);
  }
  expect(() => parse("", "1")).toThrow("MODERATION_WEBHOOK_TEXT: needs MODERATION_WEBHOOK_URL beside it");
  const inFormat = (MODERATION_WEBHOOK_FORMAT: string, MODERATION_WEBHOOK_URL = "https://hooks.example/a") =>
    parseConfig({ MODERATION_WEBHOOK_URL, MODERATION_WEBHOOK_FORMAT }).moderationWebhook?.format;
  expect([inFormat(""), inFormat("all"), inFormat("text")]).toEqual(["all", "all", "text"]);
  expect(() => inFormat("json")).toThrow("MODERATION_WEBHOOK_FORMAT: ");
  expect(() => inFormat("text", "")).toThrow("MODERATION_WEBHOOK_FORMAT: needs MODERATION_WEBHOOK_URL");
});

test("every bad variable is reported at once, without its value", () => {
  const bad = {
    PORT: "70000",
    LOG_LEVEL: "loud",
    DATABASE_URL: "mysql://u:secret@h/d",
    FESTIVAL_API_SECRET: "hush",
  };
  const parse = () => parseConfig(bad);
  expect(parse).toThrow(ConfigError);
  for (const name of ["PORT", "LOG_LEVEL", "DATABASE_URL", "FESTIVAL_API_KEY"]) expect(parse).toThrow(name);
  expect(parse).not.toThrow(/secret|hush/);
});

test.each([
  ["HOST", "x86_64-conda-linux-gnu"],
  ["HOST", "my-laptop"],
  ["HOST", "my-laptop.example"],
  ["HOST", "[::1]"],
  ["HOST", "127.0.0.1:3000"],
  ["PORT", "tcp://10.0.0.7:3000"],
  ["PORT", "COM3"],
  ["PORT", "0"],
  ["PORT", "3000.5"],
  ["PORT", "0x50"],
])("%s as another tool may set it (%s) is refused in one line that names it", (name, value) => {
  const line = new RegExp(`^The configuration is invalid: ${name}: .*unset ${name} there$`);
  expect(() => parseConfig({ [name]: value })).toThrow(line);
});

test.each([
  ["0.0.0.0", " 8080 "],
  ["::", "65535"],
  ["localhost", "1"],
])("HOST %s and PORT %s are accepted", (HOST, PORT) => {
  expect(parseConfig({ HOST, PORT })).toMatchObject({ host: HOST, port: Number(PORT) });
});

test("HSTS_SUBDOMAINS is 0 or 1", () => {
  expect(
    [{}, { HSTS_SUBDOMAINS: "0" }, { HSTS_SUBDOMAINS: "1" }].map((v) => parseConfig(v).hstsSubdomains),
  ).toEqual([false, false, true]);
  expect(() => parseConfig({ HSTS_SUBDOMAINS: "yes" })).toThrow(/HSTS_SUBDOMAINS: must be 0 or 1/);
});

test("the pool has a size", () => {
  expect(parseConfig({}).databasePoolSize).toBe(10);
  expect(parseConfig({ DATABASE_POOL_SIZE: "1" }).databasePoolSize).toBe(1);
  for (const size of ["0", "100", "two"])
    expect(() => parseConfig({ DATABASE_POOL_SIZE: size })).toThrow(/DATABASE_POOL_SIZE: must be a number/);
});

test("a provider is set up by its two credentials, and by neither alone", () => {
  expect(parseConfig({}).signIn).toEqual({ google: null, github: null });
  const both = parseConfig({
    GOOGLE_CLIENT_ID: "a",
    GOOGLE_CLIENT_SECRET: "b",
    GITHUB_CLIENT_ID: "c",
    GITHUB_CLIENT_SECRET: "d",
  });
  expect(both.signIn).toEqual({
    google: { issuer: "https://accounts.google.com", clientId: "a", clientSecret: "b" },
    github: { url: "https://github.com", apiUrl: "https://api.github.com", clientId: "c", clientSecret: "d" },
  });
  for (const name of [
    "GOOGLE_CLIENT_ID",
    "GOOGLE_CLIENT_SECRET",
    "GITHUB_CLIENT_ID",
    "GITHUB_CLIENT_SECRET",
  ]) {
    expect(() => parseConfig({ [name]: "alone" })).toThrow(/set both or neither/);
  }
});

test("further redirect targets must be absolute URLs, without javascript: and data:", () => {
  const { redirectUrls } = parseConfig({ REDIRECT_URLS: "https://app.example/a, app:/b" });
  expect(redirectUrls).toEqual(["https://app.example/a", "app:/b"]);
  for (const bad of ["nonsense", "javascript:alert(1)", "data:text/html,x"]) {
    expect(() => parseConfig({ REDIRECT_URLS: `https://app.example, ${bad}` })).toThrow(/REDIRECT_URLS/);
  }
});

test("trusted proxies are addresses and networks, and every other text is reported", () => {
  expect(parseConfig({}).trustedProxies).toEqual([]);
  expect(parseConfig({ TRUSTED_PROXIES: "127.0.0.1, ::1 10.0.0.0/8" }).trustedProxies).toEqual([
    "127.0.0.1",
    "::1",
    "10.0.0.0/8",
  ]);
  const parse = () => parseConfig({ TRUSTED_PROXIES: "127.0.0.1, caddy, 10.0.0.0/99" });
  expect(parse).toThrow(/TRUSTED_PROXIES\S*: caddy is no address/);
  expect(parse).toThrow(/TRUSTED_PROXIES\S*: 10\.0\.0\.0\/99 is no address/);
});

test.each([
  ["http://localhost:4010", true],
  ["http://127.0.0.1", true],
  ["http://127.8.9.1", true],
  ["http://[::1]:4010", true],
  ["http://api.localhost", true],
  ["http://2130706433", true],
  ["https://api.edinburghfestivalcity.com", false],
  ["https://localhost.example", false],
  ["https://127.0.0.1.example", false],
])("isLoopback(%s) is %s", (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});
