import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { parseConfig } from "../src/config/environment.server.ts";
import { createTestDatabase } from "../tests/support/postgres.ts";
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

test.each(["GOOGLE", "GITHUB"])("neither provider is faked when %s has credentials", async (name) => {
  const credentials = { [`${name}_CLIENT_ID`]: "real", [`${name}_CLIENT_SECRET`]: "real" };
  const { local } = await create(credentials);
  expect(Object.keys(local.variables)).toEqual(["DATABASE_URL"]);
});
