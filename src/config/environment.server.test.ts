import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLoopback } from "../lib/loopback.server.ts";
import { ConfigError } from "./config-error.server.ts";
import { findProblems, parseConfig, readEnvironment, settings } from "./environment.server.ts";

const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");

function settingsFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "front-row-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, ".env"), text);
  return join(folder, ".env");
}

test("the example file has each setting once, on a line of its own: its default, or an example to uncomment", () => {
  expect(parseConfig(readEnvironment(settingsFile(example), {}))).toEqual(parseConfig({}));
  for (const line of example.split("\n")) expect(line).toMatch(/^$|^# |^#?[A-Z_]+=[^#]*$/);
  const names = example.match(/^#?[A-Z_]+(?==)/gm)?.map((name) => name.replace("#", ""));
  expect(names?.sort()).toEqual(Object.keys(settings.shape).sort());
  const uncommented = settingsFile(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ""));
  const withExamples = readEnvironment(uncommented, {});
  expect(Object.keys(withExamples).sort()).toEqual(names);
  expect(findProblems(withExamples)).toEqual([]);
});

test("an empty variable of the environment leaves what the settings file says", () => {
  const file = settingsFile("GOOGLE_ISSUER=https://id.example\nMETRICS_TOKEN=from-file\nDATA_DIR=/file\n");
  const environment = { GOOGLE_ISSUER: "", METRICS_TOKEN: "  ", DATA_DIR: "/environment", LOG_LEVEL: "" };
  const fromFile = { GOOGLE_ISSUER: "https://id.example", METRICS_TOKEN: "from-file" };
  expect(readEnvironment(file, environment)).toEqual({ ...environment, ...fromFile });
});

const site = "https://site.example";
const google = { GOOGLE_CLIENT_ID: "a", GOOGLE_CLIENT_SECRET: "b" };
const github = { GITHUB_CLIENT_ID: "c", GITHUB_CLIENT_SECRET: "d" };
const operator = { OPERATOR_NAME: "Ada", OPERATOR_ADDRESS: "1 Lane", OPERATOR_EMAIL: " ada@site.example " };
const hook = "https://hooks.example/a?wait=true";

test.each([
  ["nothing", {}, { port: 3000, host: "127.0.0.1", dataDir: "./data", databaseUrl: undefined }],
  ["nothing", {}, { origin: "http://localhost:3000", publicClientKey: "front-row-public", festivalApi: null }],
  ["nothing", {}, { databasePoolSize: 10, hstsSubdomains: false, trustedProxies: [], operator: null }],
  ["nothing", {}, { signIn: { google: null, github: null }, moderationWebhook: null }],
  ["empty values", { PORT: "", DATABASE_URL: " ", OPERATOR_NAME: " " }, parseConfig({})],
  ["a slash", { ORIGIN: `${site}/` }, { origin: site, redirectOrigins: [site] }],
  ["capitals", { HOST: "::1", ORIGIN: "https://Site.example:8443/" }, { redirectOrigins: [`${site}:8443`] }],
  ["an address", { HOST: "0.0.0.0", PORT: " 8080 " }, { host: "0.0.0.0", port: 8080 }],
  ["an IPv6 address", { HOST: "::", PORT: "65535" }, { host: "::", port: 65_535 }],
  ["a name", { HOST: "localhost", PORT: "1" }, { host: "localhost", port: 1 }],
  ["an IPv6 origin", { ORIGIN: "http://[::1]:8080" }, { origin: "http://[::1]:8080" }],
  ["a pool", { DATABASE_POOL_SIZE: "1" }, { databasePoolSize: 1 }],
  ["a token", { METRICS_TOKEN: " sixteen-letters1 " }, { metricsToken: "sixteen-letters1" }],
  ["no saved list", { OFFLINE: "0" }, { offline: false }],
  ["no subdomains", { HSTS_SUBDOMAINS: "0" }, { hstsSubdomains: false }],
  ["subdomains", { HSTS_SUBDOMAINS: "1" }, { hstsSubdomains: true }],
  ["an operator", operator, { operator: { name: "Ada", address: "1 Lane", email: "ada@site.example" } }],
  ["proxies", { TRUSTED_PROXIES: "127.0.0.1, ::1 10.0.0.0/8" }, { trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] }],
  ["targets", { REDIRECT_URLS: "https://app.example/a?b=c, app:/b" }, { redirectUrls: ["https://app.example/a?b=c", "app:/b"] }],
  ["providers", { ...google, ...github }, { signIn: { google: { issuer: "https://accounts.google.com", clientId: "a", clientSecret: "b" },
    github: { url: "https://github.com", apiUrl: "https://api.github.com", clientId: "c", clientSecret: "d" },
  } }],
  ["other issuers", { ...google, GOOGLE_ISSUER: "https://id.example/realms/fringe" }, { signIn: { google: { issuer: "https://id.example/realms/fringe" },
  } }],
  ["other URLs", { ...github, GITHUB_URL: "https://git_hub.internal:8443", GITHUB_API_URL: "https://münchen.example/api/v3/" }, { signIn: { github: { url: "https://git_hub.internal:8443", apiUrl: "https://münchen.example/api/v3" },
  } }],
  ["a webhook", { MODERATION_WEBHOOK_URL: hook }, { moderationWebhook: { url: hook, hasText: false, format: "all" } }],
  ["one here", { MODERATION_WEBHOOK_URL: "http://127.0.0.1:8099/", MODERATION_WEBHOOK_TEXT: "1" }, { moderationWebhook: { hasText: true } }],
  ["where releases are", { RELEASES_URL: hook }, { releasesUrl: hook }],
  ["its format", { MODERATION_WEBHOOK_URL: hook, MODERATION_WEBHOOK_FORMAT: "text" }, { moderationWebhook: { format: "text" } }],
])("with %s (%j) the configuration is %j", (_, variables, config) => {
  expect(parseConfig(variables)).toMatchObject(config);
}); // biome-ignore format: a table of settings

test.each([
  ["127.0.0.1", ["http://localhost:4000", "http://127.0.0.1:4000"]],
  ["0.0.0.0", ["http://localhost:4000", "http://127.0.0.1:4000"]],
  ["localhost", ["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000"]],
  ["::", ["http://localhost:4000", "http://127.0.0.1:4000", "http://[::1]:4000"]],
  ["::1", ["http://[::1]:4000"]],
  ["127.4.5.6", ["http://127.4.5.6:4000"]],
  ["fe80::7%eth0", ["http://[fe80::7]:4000"]],
])("without ORIGIN, HOST %s gives an address that answers; sign-ins return to %s", (HOST, origins) => {
  const { origin, redirectOrigins } = parseConfig({ HOST, PORT: "4000" });
  expect([origin, redirectOrigins]).toEqual([origins[0], origins]);
});

const badUrls = `https://hush@site.example https://me:hush@site.example/ https://site.example?hush
  https://site.example/#hush https://*.hush.example https://hush..example https://hush.example.
  https:hush.example https:\\\\hush.example ftp://hush.example hush.example //hush.example`.split(/\s+/);
badUrls.push("https://a b.hush.example");

test.each([
  ["ORIGIN", [...badUrls, `${site}/hush`, `${site}?`, `${site}//`]],
  ["FESTIVAL_API_URL", [...badUrls, `${site}/hush`]],
  ["GOOGLE_ISSUER", badUrls],
  ["GITHUB_URL", badUrls],
  ["GITHUB_API_URL", badUrls],
  ["MODERATION_WEBHOOK_URL", [...badUrls.filter((url) => !url.includes("?")), "http://hooks.example/hush"]],
  ["REDIRECT_URLS", [...badUrls.filter((url) => !/[?]|ftp/.test(url)), `${site}/hush/*`]],
  ["REDIRECT_URLS", [`${site}/a;${site}/hush`, "app:/a; app:/hush", `${site}/a,app:/hush;`, `${site};hush`]],
  ["REDIRECT_URLS", ["nonsense", "javascript:alert(1)", "data:text/html,x"].map((bad) => `${site}, ${bad}`)],
])("%s with a part that would have no effect is refused by its name, without its value", (name, urls) => {
  for (const url of urls) {
    const parse = () => parseConfig({ [name]: url });
    expect(parse, url).toThrow(new RegExp(`^The configuration is invalid:\\s+${name}`));
    expect(parse, url).not.toThrow(/hush|alert/);
  }
});

/** Other tools may set these: the message says so. */
const setByOthers = [
  ..."x86_64-conda-linux-gnu my-laptop my-laptop.example [::1] 127.0.0.1:3000"
    .split(" ")
    .map((host) => ["HOST", host]),
  ..."tcp://10.0.0.7:3000 COM3 0 3000.5 0x50 70000".split(" ").map((port) => ["PORT", port]),
].map(([name = "", value = ""]) => [`unset ${name} there`, { [name]: value }] as const);

test.each<readonly [string, Record<string, string>]>([
  ...setByOthers,
  ["OPERATOR_NAME, OPERATOR_ADDRESS, OPERATOR_EMAIL: set all or none", { ...operator, OPERATOR_ADDRESS: "" }],
  ["OPERATOR_EMAIL: must be an e-mail address", { ...operator, OPERATOR_EMAIL: "ada at site" }],
  ["MODERATION_WEBHOOK_TEXT: needs MODERATION_WEBHOOK_URL", { MODERATION_WEBHOOK_TEXT: "1" }],
  ["MODERATION_WEBHOOK_FORMAT: needs MODERATION_WEBHOOK_URL", { MODERATION_WEBHOOK_FORMAT: "text" }],
  ["RELEASES_URL: must be an https URL", { RELEASES_URL: "http://releases.example" }],
  ["MODERATION_WEBHOOK_FORMAT: ", { MODERATION_WEBHOOK_URL: hook, MODERATION_WEBHOOK_FORMAT: "json" }],
  ["OFFLINE: must be 0 or 1", { OFFLINE: "off" }],
  ["HSTS_SUBDOMAINS: must be 0 or 1", { HSTS_SUBDOMAINS: "yes" }],
  ...["0", "100", "two"].map(
    (size) => ["DATABASE_POOL_SIZE: must be a number", { DATABASE_POOL_SIZE: size }] as const,
  ),
  ...Object.keys({ ...google, ...github }).map(
    (name) => ["set both or neither", { [name]: "alone" }] as const,
  ),
  ...["m", "fifteen-letters", `  ${"x".repeat(15)}  `].map(
    (token) => ["METRICS_TOKEN: must have at least 16 characters", { METRICS_TOKEN: token }] as const,
  ),
  ["caddy is no address", { TRUSTED_PROXIES: "127.0.0.1, caddy" }],
  ["10.0.0.0/99 is no address", { TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/99" }],
])("'%s' is the one-line refusal of %j", (message, variables) => {
  expect(() => parseConfig(variables)).toThrow(message);
  expect(() => parseConfig(variables)).toThrow(/^The configuration is invalid: [^\n]*$/);
});

test("every bad variable is reported at once, without its value", () => {
  const others = { DATABASE_URL: "mysql://u:secret@h/d", FESTIVAL_API_SECRET: "hush" };
  const parse = () => parseConfig({ PORT: "70000", LOG_LEVEL: "loud", ...others });
  expect(parse).toThrow(ConfigError);
  for (const name of ["PORT", "LOG_LEVEL", "DATABASE_URL", "FESTIVAL_API_KEY"]) expect(parse).toThrow(name);
  expect(parse).not.toThrow(/secret|hush/);
});

test("this machine is known by its names and addresses", () => {
  const hosts = "localhost:4010 127.0.0.1 127.8.9.1 [::1]:4010 api.localhost 2130706433".split(" ");
  const others = "api.edinburghfestivalcity.com localhost.example 127.0.0.1.example".split(" ");
  const isLocal = (host: string) => isLoopback(`http://${host}`);
  expect([hosts.filter(isLocal), others.filter(isLocal)]).toEqual([hosts, []]);
});
