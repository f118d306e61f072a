import { sql } from "kysely";
import { afterAll, expect } from "vitest";
import type { Db } from "../../src/database/schema.server.ts";
import {
  authHeaders,
  bearer,
  callAuth,
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
import { countRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const environment = await openFaultEnvironment(await createTestDatabase());
afterAll(environment.close);
const { relay, site } = environment;
const { db } = environment.database;
const { origin } = site;
const wren = { email: "wren@people.example" };
const late = { email: "late@people.example" };

testRows<[string, (lock: Db) => unknown]>(2, [
  ["refuses connections", relay.cut],
  ["does not respond", relay.isolate],
  ["is slow", (lock) => sql`lock table users, sessions in access exclusive mode`.execute(lock)],
])("while the database %s, a sign-in begins, and its other steps work afterwards", async (_name, begin) => {
  const { callback } = await signInUpToCallback(origin, "github", late);
  const { code, verifier } = await signInUpToCode(origin, "google", wren);
  const { access_token, refresh_token } = await signIn(origin, "google", wren);
  const headers = { ...authHeaders, ...bearer({ access_token }) };
  const lock = await db.startTransaction().execute();
  await begin(lock);
  // An attempt stores nothing at its start: before its callback, the database may work again.
  for (const provider of ["google", "github"])
    expect((await redirectTarget(startSignIn(origin, provider).url)).origin).not.toBe(origin);
  const [target, ...responses] = await Promise.all([
    redirectTarget(callback),
    exchangeCode(origin, code, verifier),
    refreshTokens(origin, refresh_token),
    callAuth(origin, "/user", { token: access_token }),
    callAuth(origin, "/user/export", { token: access_token }),
    fetch(`${origin}/auth/v1/user`, { method: "DELETE", headers, body: JSON.stringify(wren) }),
    callAuth(origin, "/logout?scope=others", { token: access_token }),
    site.api("/api/reviews/mine", bearer({ access_token })),
  ]);
  expect(target.origin + target.pathname).toBe(`${origin}/`);
  expect(target.searchParams.get("error_code")).toBe("unavailable");
  expect(target.searchParams.get("error_description")).toMatch(/Please try again in a moment\.$/);
  for (const response of responses) expect(await statusAndCode(response)).toEqual([503, "unavailable"]);
  relay.restore();
  await lock.rollback().execute();
  await expect.poll(async () => (await exchangeCode(origin, code, verifier)).status).toBe(200);
  expect((await refreshTokens(origin, refresh_token)).status).toBe(200);
  expect(await countRows(db, ["users"], late)).toEqual({ users: 0 });
  expect(site.log.filter((line) => /"level":50|^\s+at .*front-row/.test(line))).toEqual([]);
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toMatch(/front_row_sign_ins_total\{.*outcome="unavailable"\} [1-9]/);
  expect(metrics).not.toContain('outcome="unexpected_failure"');
});
