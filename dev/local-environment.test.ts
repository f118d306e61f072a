import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { parseConfig } from "../src/config/environment.server.ts";
import { continueAs } from "../tests/support/person.ts";
import { createTestDatabase } from "../tests/support/postgres.ts";
import { startSmallFestival } from "../tests/support/refreshes.ts";
import { makeWorld } from "./local-environment.ts";

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A world around a small festival; its configuration, and the one that a server in it reads. */
async function make(more: Record<string, string> = {}) {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const { standIn: festival } = await startSmallFestival(10);
  onTestFinished(() => festival.close());
  const environment = {
    ORIGIN: "http://localhost:4000",
    DATABASE_URL: database.url,
    FESTIVAL_API_URL: festival.url,
    FESTIVAL_API_KEY: festival.key,
    FESTIVAL_API_SECRET: festival.secret,
    ...more,
  };
  const log = pino({ level: "silent" });
  const world = await makeWorld(parseConfig(environment), log, new AbortController().signal);
  onTestFinished(() => world[Symbol.asyncDispose]());
  return { world, inWorld: parseConfig({ ...environment, ...world.variables }) };
}

test("without any provider's credentials, stand-ins play both, and lead back to the site", async () => {
  const { inWorld } = await make();
  const { google, github } = inWorld.signIn;
  expect(inWorld.allowLoopbackProviders).toBe(true);
  expect(console.log).toHaveBeenCalledWith(expect.stringContaining("stand-ins play both"));
  const back = "http://localhost:4000/auth/v1/callback";
  const asked = `scope=openid&response_type=code&redirect_uri=${encodeURIComponent(back)}`;
  const ada = { email: "ada@example.com" };
  for (const page of [
    `${google?.issuer}/auth?client_id=${google?.clientId}&${asked}`,
    `${github?.url}/login/oauth/authorize?client_id=${github?.clientId}&${asked}`,
  ]) {
    expect(await continueAs(page, ada)).toContain(`${back}?code=`);
  }
});

test("a stand-in is gone with its world", async () => {
  const { world, inWorld } = await make();
  const { google, github } = inWorld.signIn;
  await world[Symbol.asyncDispose]();
  await expect(fetch(`${google?.issuer}`)).rejects.toThrow();
  await expect(fetch(`${github?.url}`)).rejects.toThrow();
});

test.each(["GOOGLE", "GITHUB"])(
  "beside a real %s there is no stand-in, also not for the other provider",
  async (name) => {
    const credentials = { [`${name}_CLIENT_ID`]: "real", [`${name}_CLIENT_SECRET`]: "real" };
    const { world } = await make(credentials);
    expect(Object.keys(world.variables)).toEqual(["DATABASE_URL"]);
  },
);
