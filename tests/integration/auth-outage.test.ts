import { afterAll, expect, test } from "vitest";
import {
  exchangeCode,
  redirectTarget,
  refreshTokens,
  signIn,
  signInUpToCallback,
  signInUpToCode,
  startSignIn,
  statusAndCode,
} from "../support/accounts.ts";
import { openFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";

const environment = await openFaultEnvironment(await createTestDatabase());
afterAll(environment.close);
const wren = { email: "wren@people.example" };

test.each([
  ["refuses connections", "cut"],
  ["does not respond", "isolate"],
] as const)(
  "while the database %s, a sign-in begins, its other steps say to try again, and it works afterwards",
  async (_name, outage) => {
    const { relay } = environment;
    const { origin } = environment.site;
    const { callback } = await signInUpToCallback(origin, "github", wren);
    const { code, verifier } = await signInUpToCode(origin, "google", wren);
    const { refresh_token } = await signIn(origin, "google", wren);
    relay[outage]();
    // An attempt stores nothing at its start: before its callback, the database may work again.
    for (const provider of ["google", "github"])
      expect((await redirectTarget(startSignIn(origin, provider).url)).origin).not.toBe(origin);
    const target = await redirectTarget(callback);
    expect(target.origin + target.pathname).toBe(`${origin}/`);
    expect(target.searchParams.get("error_code")).toBe("unavailable");
    expect(target.searchParams.get("error_description")).toMatch(/Please try again in a moment\.$/);
    const exchanged = await exchangeCode(origin, code, verifier);
    for (const response of [exchanged, await refreshTokens(origin, refresh_token)])
      expect(await statusAndCode(response)).toEqual([503, "unavailable"]);
    relay.restore();
    await expect.poll(async () => (await exchangeCode(origin, code, verifier)).status).toBe(200);
    expect((await refreshTokens(origin, refresh_token)).status).toBe(200);
    expect(environment.site.log.filter((line) => /"level":50|^\s+at .*front-row/.test(line))).toEqual([]);
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toMatch(/front_row_sign_ins_total\{.*outcome="unavailable"\} [1-9]/);
    expect(metrics).not.toContain('outcome="unexpected_failure"');
  },
);
