import { beforeEach, expect, test } from "vitest";
import { banUser } from "../../src/accounts/end-account.server.ts";
import { providers } from "../../src/domain/account.ts";
import {
  bearer,
  callAuth,
  exchangeCode,
  redirectTarget,
  refreshTokens,
  securityEvents,
  signIn,
  signInUpToCallback,
} from "../support/accounts.ts";
import { runAdmin, runAdminProcess } from "../support/admin.ts";
import { givenChanged, givenDeleted, givenNone, givenReview, givenShows } from "../support/given.ts";
import { setUpAccounts } from "../support/set-up.ts";
import { auditRows, countAccountRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const wren = { email: "wren@people.example" };

const { database, db, accountsSite, origin } = await setUpAccounts();
await givenShows(db, 1);
beforeEach(async () => {
  await givenDeleted(db, "users");
  await givenNone(db, "audit", "sign_ins");
});

const admin = (...args: string[]) => runAdmin(database, args);
const stored = () => countAccountRows(db);

const insertReview = (user_id: string) => givenReview(db, { user_id });

/** All users and identities, to compare them later. */
const usersAndIdentities = async () => [
  await storedRows(db, "users", ["id", "email", "email_confirmed_at", "last_sign_in_at", "banned_at"]),
  await storedRows(db, "identities", ["id", "subject", "email", "email_verified", "last_sign_in_at"]),
];

test("a banned user is signed out everywhere, and their reviews stay", async () => {
  const laptop = await signIn(origin, "google", wren);
  const phone = await signIn(origin, "github", wren);
  const { callback, verifier } = await signInUpToCallback(origin, "google", wren);
  const code = (await redirectTarget(callback)).searchParams.get("code") ?? expect.fail();
  await insertReview(laptop.user.id);

  const out = `Banned ${wren.email} (${laptop.user.id}): 2 sessions and 1 sign-in under way ended, reviews stay.\n`;
  expect(await admin("ban-user", "WREN@people.example")).toEqual({ exit: 0, out, err: "" });

  expect((await exchangeCode(origin, code, verifier)).status).toBe(404);
  for (const { access_token, refresh_token } of [laptop, phone]) {
    expect((await callAuth(origin, "/user", { token: access_token })).status).toBe(403);
    expect((await refreshTokens(origin, refresh_token)).status).toBe(400);
    const ownReviews = await accountsSite.site.api("/api/reviews/mine", bearer({ access_token }));
    expect(ownReviews.status).toBe(401);
  }
  expect(await stored()).toMatchObject({ users: 1, identities: 2, sessions: 0, waiting: 0 });
  expect(await expectTrueTallies(db)).toMatchObject([{ yes: 1 }]);
  const details = { user_id: laptop.user.id, sessions: 2, signIns: 1, reviews: 0 };
  expect(await auditRows(db)).toEqual([{ action: "ban-user", details }]);
});

test.each(providers)("a banned user cannot sign in with %s, and nothing is stored", async (provider) => {
  const { user } = await signIn(origin, "google", wren);
  await admin("ban-user", wren.email);
  const before = await usersAndIdentities();
  const { callback } = await signInUpToCallback(origin, provider, { email: "Wren@people.example" });
  const redirect = await redirectTarget(callback);
  expect(Object.fromEntries(redirect.searchParams)).toEqual({
    error: "access_denied",
    error_code: "user_banned",
    error_description: "This account may not sign in here any more.",
  });
  expect(await usersAndIdentities()).toEqual(before);
  expect(await stored()).toMatchObject({ sessions: 0, waiting: 0 });
  const refused = { event: "sign_in_refused", provider, reason: "user_banned" };
  await expect.poll(() => securityEvents(accountsSite.site, user.id)).toContainEqual(refused);
  expect(accountsSite.site.log.join("\n")).not.toContain("A sign-in failed");
});

test("a refresh with the access token says that the account was banned or deleted", async () => {
  const errorOf = async (refresh_token: string, token?: string) => {
    const call = { body: { refresh_token }, ...(token !== undefined && { token }) };
    const response = await callAuth(origin, "/token?grant_type=refresh_token", call);
    return [response.status, (await response.json()).code];
  };
  const banned = await signIn(origin, "google", wren);
  const deleted = await signIn(origin, "github", { email: "pip@people.example" });
  const other = await signIn(origin, "github", { email: "ash@people.example" });
  await admin("ban-user", wren.email);
  await admin("delete-user", "pip@people.example");
  expect(await errorOf(banned.refresh_token, banned.access_token)).toEqual([400, "user_banned"]);
  expect(await errorOf(deleted.refresh_token, deleted.access_token)).toEqual([400, "user_not_found"]);
  for (const token of [undefined, "x.y.z", other.access_token])
    expect(await errorOf(banned.refresh_token, token)).toEqual([400, "refresh_token_not_found"]);
  expect((await callAuth(origin, "/logout", { token: other.access_token })).status).toBe(204);
  expect(await errorOf(other.refresh_token, other.access_token)).toEqual([400, "refresh_token_not_found"]);
  const later = await signIn(origin, "github", { email: "ash@people.example" });
  // Also while the session exists.
  await givenChanged(db, "users", { banned_at: new Date() });
  expect((await callAuth(origin, "/user", { token: later.access_token })).status).toBe(403);
  expect(await errorOf(later.refresh_token)).toEqual([400, "user_banned"]);
});

test("a second ban keeps its time and removes later reviews; the same user signs in after the ban is lifted", async () => {
  const { user } = await signIn(origin, "google", wren);
  for (const command of ["ban-user", "unban-user"]) {
    const err = "There is no user pip@people.example.\n";
    expect(await admin(command, "pip@people.example")).toEqual({ exit: 1, out: "", err });
  }
  const err = `${wren.email} (${user.id}) is not banned.\n`;
  expect(await admin("unban-user", wren.email)).toEqual({ exit: 1, out: "", err });
  await admin("ban-user", wren.email);
  const before = await usersAndIdentities();
  await insertReview(user.id);
  const again = `Was banned before: ${wren.email} (${user.id}): 0 sessions and 0 sign-ins under way ended, 1 review removed.\n`;
  expect(await admin("ban-user", wren.email, "--remove-reviews")).toEqual({ exit: 0, out: again, err: "" });
  expect(await expectTrueTallies(db)).toEqual([]);
  expect(await usersAndIdentities()).toEqual(before);
  const out = `${wren.email} (${user.id}) may sign in again.\n`;
  expect(await runAdminProcess(database, ["unban-user", wren.email])).toEqual({ exit: 0, out, err: "" });
  expect((await signIn(origin, "github", wren)).user.id).toBe(user.id);
  expect(await auditRows(db)).toMatchObject([
    { action: "ban-user" },
    { action: "ban-user", details: { reviews: 1 } },
    { action: "unban-user", details: { user_id: user.id } },
  ]);
  await expect
    .poll(() => securityEvents(accountsSite.site, user.id))
    .toEqual(expect.arrayContaining([{ event: "account_banned" }, { event: "account_unbanned" }]));
});

test("banning a user during a sign-in leaves them without a session", async () => {
  for (let round = 0; round < 5; round++) {
    const person = { email: `racing-${round}@people.example` };
    const { user } = await signIn(origin, "google", person);
    const refused = ({ message }: Error) => expect(message).toMatch(/user_banned|not_found/);
    await Promise.all([
      banUser(db, user.id, { removeReviews: false }),
      ...providers.map((provider) => signIn(origin, provider, person).catch(refused)),
    ]);
  }
  expect(await stored()).toMatchObject({ users: 5, sessions: 0 });
});
