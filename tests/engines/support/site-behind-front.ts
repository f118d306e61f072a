import { onTestFinished } from "vitest";
import { startFakeIdentityProviders } from "../../../dev/fake-identity-providers/start.ts";
import { showIdOf, writeProgramme } from "../../e2e/support/programme.ts";
import { givenRefresh, givenReviews, givenUsers } from "../../support/given.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startSite } from "../../support/site.ts";
import { startFront } from "./front.ts";

/** A show with 23 notes for No. */
export const NOTED = "Quiet Evening 24";

export type SiteBehindFront = Awaited<ReturnType<typeof startSiteBehindFront>>;

export async function startSiteBehindFront(running: AsyncDisposableStack) {
  const database = await createTestDatabase();
  running.defer(database.close);
  await writeProgramme(database.db);
  await givenRefresh(database.db);
  const authors = await givenUsers(database.db, 23);
  const row = { show_id: showIdOf(NOTED), audience_interaction: "no" as const };
  const noted = authors.map((user_id, age) => ({
    ...row,
    user_id,
    notes: `Note ${age + 1}`,
    created_at: new Date(Date.UTC(2025, 6, 30 - age)),
  }));
  await givenReviews(database.db, noted);
  const front = await startFront();
  running.defer(front.close);
  const providers = await startFakeIdentityProviders(front.origin);
  running.defer(providers.close);
  const variables = { DATABASE_URL: database.url, ORIGIN: front.origin, ...providers.variables };
  const site = await startSite(variables);
  running.defer(async () => void (await site.stop()));
  front.site = site.origin;
  return {
    front,
    /** Until the test ends, the front has another server behind it. */
    async replaceServer(changes: Record<string, string>, program?: string) {
      const other = await startSite({ ...variables, ...changes }, program);
      onTestFinished(async () => {
        front.site = site.origin;
        await other.stop();
      });
      front.site = other.origin;
    },
  };
}
