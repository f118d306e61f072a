import { expect, test } from "vitest";
import { ConfigError, parseConfig } from "./environment.server.ts";
import { requireProductionCredentials } from "./production-credentials.server.ts";

const festival = { FESTIVAL_API_KEY: "key", FESTIVAL_API_SECRET: "secret" };
const google = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" };
const github = { GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" };
const require = (variables: Record<string, string>) => requireProductionCredentials(parseConfig(variables));

test("the festival's credentials are enough, with or without providers", () => {
  expect(require(festival)).toMatchObject({ key: "key", secret: "secret" });
  expect(require({ ...festival, ...google, ...github })).toMatchObject({ key: "key" });
});

test("without the festival's credentials the configuration is refused", () => {
  expect(() => require({ ...google, ...github })).toThrow(/FESTIVAL_API_KEY/);
});

test.each([
  ["FESTIVAL_API_URL", "http://127.0.0.1:4010"],
  ["GOOGLE_ISSUER", "http://localhost:4010"],
  ["GITHUB_URL", "https://[::1]:4010"],
  ["GITHUB_API_URL", "http://127.0.0.1:4010/api"],
])("%s on this machine is refused without ALLOW_LOOPBACK_PROVIDERS", (name, url) => {
  const variables = { ...festival, ...google, ...github, [name]: url };
  expect(() => require(variables)).toThrow(ConfigError);
  expect(() => require(variables)).toThrow(name);
  expect(require({ ...variables, ALLOW_LOOPBACK_PROVIDERS: "1" })).toBeTruthy();
});

test("a provider that is not set up may have a loopback URL", () => {
  expect(require({ ...festival, GOOGLE_ISSUER: "http://localhost:4010" })).toBeTruthy();
});

test.each(["GOOGLE_ISSUER", "GITHUB_URL", "GITHUB_API_URL"])(
  "%s over http is refused, with ALLOW_LOOPBACK_PROVIDERS too",
  (name) => {
    const variables = { ...festival, ...google, ...github, [name]: "http://provider.example" };
    expect(() => require(variables)).toThrow(`${name} must be an https URL`);
    expect(() => require({ ...variables, ALLOW_LOOPBACK_PROVIDERS: "1" })).toThrow(/https/);
  },
);
