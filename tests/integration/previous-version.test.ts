import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import { callAuth, readSession, refreshTokens, signIn } from "../support/accounts.ts";
import { buildPreviousVersion } from "../support/other-build.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { readFirstPage, waitUntilReviewShown } from "../support/read-list.ts";
import { listedIds, startSmallFestival } from "../support/refreshes.ts";
import { type Site, startSite } from "../support/site.ts";

const previous = await buildPreviousVersion();
const polling = { timeout: 60_000, interval: 50 };

// During a rolling upgrade it goes on running while the new version has migrated the database.
describe.skipIf(previous === null)("the previous version, on the schema of this one", () => {
  const running = new AsyncDisposableStack();
  let database: Database;
  let festival: Awaited<ReturnType<typeof startSmallFestival>>;
  /** The previous version, and this one. */
  let old: Site;
  let current: Site;
  let shows: ListedShow[];
  let reviewers: Reviewer[];
  let earlier: Awaited<ReturnType<typeof signIn>>;

  beforeAll(async () => {
    running.defer(async () => previous?.remove());
    database = await createEmptyDatabase();
    running.defer(database.close);
    festival = await startSmallFestival(60);
    running.defer(festival.fake.close);
    const port = String(await freePort());
    const providers = await startFakeIdentityProviders(`http://127.0.0.1:${port}`);
    running.defer(providers.close);
    const variables = {
      ...providers.variables,
      DATABASE_URL: database.url,
      FESTIVAL_API_URL: festival.fake.url,
      FESTIVAL_API_KEY: festival.fake.key,
      FESTIVAL_API_SECRET: festival.fake.secret,
    };
    old = await startSite({ ...variables, PORT: port }, previous?.program);
    running.defer(async () => void (await old.stop()));
    await vi.waitUntil(async () => (await readFirstPage(old)).length > 0, polling);
    shows = (await readFirstPage(old)).filter(({ title }) => /^[\w ]+$/.test(title));
    earlier = await signIn(old.origin, "google", { email: "wren@people.example" });
    current = await startSite({ ...variables, ORIGIN: old.origin });
    running.defer(async () => void (await current.stop()));
    reviewers = await inventReviewers(database.db, old.origin, 6);
  });
  afterAll(() => running.disposeAsync());

  const show = (index: number) => shows[index] ?? expect.fail();

  test.each(["/", "/?search=the&page=2", "/auth", "/api/shows?interaction=yes", "/readyz"])(
    "serves %s",
    async (path) => {
      expect((await old.api(path)).status).toBe(200);
    },
  );

  test("stores reviews that the new one shows, and shows those that the new one stores", async () => {
    const pairs = [
      [old, current],
      [current, old],
      [old, old],
    ] as const;
    for (const [index, [from, to]] of pairs.entries()) {
      const review = { show_id: show(index).id, audience_interaction: "yes", notes: `Sent ${index}` };
      const reviewer = reviewers.pop() ?? expect.fail();
      expect((await sendReview(from.origin, reviewer, review)).status).toBe(200);
      expect((await sendReview(to.origin, reviewer, { ...review, audience_interaction: "no" })).status).toBe(
        200,
      );
      await waitUntilReviewShown(to, show(index), review.notes);
    }
  });

  test("shares sessions with the new one, and signs in and out", async () => {
    let session = earlier;
    for (const { origin } of [current, old, current])
      session = await readSession(await refreshTokens(origin, session.refresh_token));
    for (const provider of ["google", "github"] as const) {
      const signedIn = await signIn(old.origin, provider, { email: `${provider}@people.example` });
      for (const { origin } of [old, current])
        expect((await callAuth(origin, "/user", { token: signedIn.access_token })).status).toBe(200);
    }
    expect((await callAuth(old.origin, "/logout", { token: session.access_token })).status).toBe(204);
    expect((await callAuth(current.origin, "/user", { token: session.access_token })).status).toBe(403);
  });

  test("refreshes the shows", async () => {
    await current.stop();
    const before = await listedIds(database.db);
    festival.programme.splice(0, 3);
    const payload = JSON.stringify({ since: new Date().toISOString() });
    await sql`select graphile_worker.add_job('refresh-shows', ${payload}::json)`.execute(database.db);
    await vi.waitUntil(async () => (await listedIds(database.db)).length < before.length, polling);
    expect(old.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
