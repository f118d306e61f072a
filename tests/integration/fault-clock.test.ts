import { afterAll, expect, test } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import {
  readSession,
  refreshTokens,
  type SessionResponse,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { givenRefresh, givenShows } from "../support/given.ts";
import { startReads } from "../support/reads.ts";
import { setUpClock, setUpDatabase } from "../support/set-up.ts";
import { openSite, type Site } from "../support/site.ts";
import { storedRows } from "../support/stored.ts";

const HOUR = 3_600_000;
const database = await setUpDatabase();
const { db } = database;
await givenRefresh(db);
await givenShows(db, 45);
const clock = await setUpClock();
const accountsSite = await startAccountsSite({ DATABASE_URL: database.url, ...clock.variables });
afterAll(accountsSite.close);
const { site } = accountsSite;
const otherSite = await openSite({ ...accountsSite.variables, NODE_OPTIONS: "" });
afterAll(otherSite.stop);
const newPerson = () => ({ email: `${crypto.randomUUID()}@people.example` });

function sendOnce({ access_token: token, user: { id } }: SessionResponse, target: Site = site) {
  const review = { show_id: "show-1", audience_interaction: "yes", notes: crypto.randomUUID() };
  return sendReview(target.origin, { id, token }, review);
}

async function reviewAs(session: SessionResponse, target: Site) {
  const response = await sendOnce(session, target);
  if (response.status !== 401) return { status: response.status, session };
  const renewed = await readSession(await refreshTokens(target.origin, session.refresh_token));
  return { status: (await sendOnce(renewed, target)).status, session: renewed };
}

test.each([
  ["back by an hour", -HOUR],
  ["forward by a day", 24 * HOUR],
])("sessions, keys, sign-ins and reviews survive a clock set %s and corrected later", async (_, ahead) => {
  const kids = () => storedRows(db, "signing_keys", ["kid"]);
  const before = await kids();
  const sessions = () => storedRows(db, "sessions", ["id"]);
  let session = await signIn(site.origin, "github", newPerson());
  const browsing = startReads(site.origin);
  const reviewOnBoth = async () => {
    for (const target of [site, otherSite]) {
      const result = await reviewAs(session, target);
      expect(result.status).toBe(200);
      session = result.session;
    }
  };
  await clock.set(ahead);
  await reviewOnBoth();
  const shifted = await signIn(site.origin, "github", newPerson());
  const lasts = shifted.expires_at * 1000 - Date.now() - ahead;
  expect(lasts).toBeGreaterThan(HOUR / 2);
  expect(lasts).toBeLessThan(2 * HOUR);
  const count = (await sessions()).length;
  await clock.set(0);
  await reviewOnBoth();
  session = shifted;
  await reviewOnBoth();
  expect((await sessions()).length).toBe(count);
  expect(await kids()).toEqual(before);
  expect((await browsing.stop()).failures).toEqual([]);
});

test("a write limit reached while the clock was ahead does not last longer once the clock is right", async () => {
  await clock.set(24 * HOUR);
  const session = await signIn(site.origin, "github", newPerson());
  let lastResponse: Response | undefined;
  for (let count = 0; count < 7; count++) lastResponse = await sendOnce(session);
  expect(lastResponse?.status).toBe(429);
  await clock.set(0);
  const { access_token } = await readSession(await refreshTokens(site.origin, session.refresh_token));
  expect((await sendOnce({ ...session, access_token })).status).toBe(200);
});
