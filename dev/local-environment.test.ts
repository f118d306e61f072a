import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { parseConfig } from "../src/config/environment.server.ts";
import { createTestDatabase } from "../tests/support/postgres.ts";
import { signInAtProvider } from "../tests/support/provider-sign-in.ts";
import { startSmallFestival } from "../tests/support/refreshes.ts";
import { createLocalEnvironment } from "./local-environment.ts";

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A local environment with a small festival, and the configuration of its server. */
async function create(variables: Record<string, string> = {}) {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const { fake: festival } = await startSmallFestival(10);
  onTestFinished(() => festival.close());
  const environment = {
    ORIGIN: "http://localhost:4000",
    DATABASE_URL: database.url,
    FESTIVAL_API_URL: festival.url,
    FESTIVAL_API_KEY: festival.key,
    FESTIVAL_API_SECRET: festival.secret,
    ...variables,
  };
  const log = pino({ level: "silent" });
  const local = await createLocalEnvironment(parseConfig(environment), log, new AbortController().signal);
  onTestFinished(() => local[Symbol.asyncDispose]());
  return { local, serverConfig: parseConfig({ ...environment, ...local.variables }) };
}

test("fakes play both providers when neither has credentials, and redirect to the site", async () => {
  const { serverConfig } = await create();
  const { google, github } = serverConfig.signIn;
  expect(serverConfig.allowLoopbackProviders).toBe(true);
  expect(console.log).toHaveBeenCalledWith(expect.stringContaining("fakes play both"));
  const redirectUri = "http://localhost:4000/auth/v1/callback";
  const query = `scope=openid&response_type=code&redirect_uri=${encodeURIComponent(redirectUri)}`;
  const ada = { email: "ada@example.com" };
  for (const page of [
    `${google?.issuer}/auth?client_id=${google?.clientId}&${query}`,
    `${github?.url}/login/oauth/authorize?client_id=${github?.clientId}&${query}`,
  ]) {
    expect(await signInAtProvider(page, ada)).toContain(`${redirectUri}?code=`);
  }
});

test("the fakes stop with their local environment", async () => {
  const { local, serverConfig } = await create();
  const { google, github } = serverConfig.signIn;
  await local[Symbol.asyncDispose]();
  await expect(fetch(`${google?.issuer}`)).rejects.toThrow();
  await expect(fetch(`${github?.url}`)).rejects.toThrow();
});

test.each(["GOOGLE", "GITHUB"])("neither provider is faked when %s has credentials", async (name) => {
  const credentials = { [`${name}_CLIENT_ID`]: "real", [`${name}_CLIENT_SECRET`]: "real" };
  const { local } = await create(credentials);
  expect(Object.keys(local.variables)).toEqual(["DATABASE_URL"]);
});
