import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { isLoopback } from "../lib/loopback.server.ts";
import { ConfigError } from "./config-error.server.ts";
import { parseConfig } from "./environment.server.ts";

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

test("an empty variable counts as unset, and the origin loses its path", () => {
  expect(parseConfig({ PORT: "", DATABASE_URL: " ", ORIGIN: "https://front-row.example/" })).toMatchObject({
    port: 3000,
    databaseUrl: undefined,
    origin: "https://front-row.example",
  });
});

test("a sign-in may redirect to the origin, and without ORIGIN to localhost and 127.0.0.1", () => {
  expect(parseConfig({ PORT: "4000" }).redirectOrigins).toEqual([
    "http://localhost:4000",
    "http://127.0.0.1:4000",
  ]);
  expect(parseConfig({ ORIGIN: "http://localhost:3000" }).redirectOrigins).toEqual(["http://localhost:3000"]);
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
  });
  expect(parse("http://127.0.0.1:8099/", "1")).toEqual({ url: "http://127.0.0.1:8099/", hasText: true });
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

test("the catalogue file needs a database of one's own, and the pool has a size", () => {
  const DATABASE_URL = "postgres://user:password@localhost:5432/front_row";
  const { catalogueFile, databasePoolSize } = parseConfig({ DATABASE_URL, CATALOGUE_FILE: "/x.gz" });
  expect([catalogueFile, databasePoolSize]).toEqual(["/x.gz", 10]);
  expect(() => parseConfig({ CATALOGUE_FILE: "/x.gz" })).toThrow(/CATALOGUE_FILE: needs DATABASE_URL/);
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
