import { expect, test } from "vitest";
import { ConfigError } from "./config-error.server.ts";
import { parseConfig } from "./environment.server.ts";
import {
  requireDatabase,
  requireOperator,
  requireProductionCredentials,
} from "./production-credentials.server.ts";

const festival = { FESTIVAL_API_KEY: "key", FESTIVAL_API_SECRET: "secret" };
const google = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" };
const github = { GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" };
const operator = { OPERATOR_NAME: "Ada", OPERATOR_ADDRESS: "1 Lane", OPERATOR_EMAIL: "ada@site.example" };
const requireCredentials = (variables: Record<string, string>) =>
  requireProductionCredentials(parseConfig(variables));

test.each([
  ["the festival's credentials", requireProductionCredentials, { ...google, ...github }, festival, /FESTIVAL_API_KEY/],
  ["an operator", requireOperator, {}, operator, /OPERATOR_NAME.*npm start/],
  ["a database", requireDatabase, {}, { DATABASE_URL: "postgres://h/d" }, /^Set DATABASE_URL [^\n]* docs\/operations\/install-and-upgrade\.md /],
])("%s must be set", (_what, required, missing, present, message) => {
  expect(() => required(parseConfig(missing))).toThrow(message);
  expect(() => required(parseConfig(present))).not.toThrow();
}); // biome-ignore format: a table

test.each([
  ["FESTIVAL_API_URL", "http://127.0.0.1:4010"],
  ["GOOGLE_ISSUER", "http://localhost:4010"],
  ["GITHUB_URL", "https://[::1]:4010"],
  ["GITHUB_API_URL", "http://127.0.0.1:4010/api"],
])("%s must be https, or a loopback address with ALLOW_LOOPBACK_PROVIDERS", (name, url) => {
  const variables = { ...festival, ...google, ...github, [name]: url };
  expect(() => requireCredentials(variables)).toThrow(ConfigError);
  expect(() => requireCredentials(variables)).toThrow(name);
  expect(requireCredentials({ ...variables, ALLOW_LOOPBACK_PROVIDERS: "1" })).toBeTruthy();
  // A provider without credentials may have one.
  const isProvider = !name.startsWith("FESTIVAL");
  if (isProvider) expect(requireCredentials({ ...festival, [name]: url })).toBeTruthy();
  for (const host of ["provider.example", "10.0.0.7:8080", "localhost.example"]) {
    const overHttp = { ...variables, [name]: `http://${host}` };
    expect(() => requireCredentials(overHttp)).toThrow(`${name} must be an https URL`);
    expect(() => requireCredentials({ ...overHttp, ALLOW_LOOPBACK_PROVIDERS: "1" })).toThrow(/https/);
    expect(requireCredentials({ ...variables, [name]: `https://${host}` })).toBeTruthy();
  }
});
