import fc from "fast-check";
import { expect, vi } from "vitest";
import { z } from "zod";
import { inventReviewers, liftLimits } from "../../../dev/harness/reviewers.ts";
import { YEAR } from "../../../src/domain/programme.ts";
import { interactions } from "../../../src/domain/review.ts";
import { startAccountsSite } from "../accounts.ts";
import { givenRefresh } from "../given.ts";
import { createTestDatabase } from "../postgres.ts";
import { replaceProgramme, showId } from "../programme.ts";
import { createComparisons } from "../reference-list.ts";
import { expectServersMatchDatabase } from "../reference-reviews.ts";
import type { SiteProcess } from "../site.ts";
import { countRows } from "../stored.ts";
import { authRequests } from "./auth-requests.ts";
import { brokenBytes, sendBytes } from "./broken-bytes.ts";
import { expectNoInternals, expectSafeResponse } from "./expect-safe-response.ts";
import { mutatedRequest } from "./mutate-request.ts";
import { createSender, type RequestDraft } from "./request.ts";
import { METRICS_TOKEN, siteRequests } from "./site-requests.ts";
import { trackStoredReviews } from "./track-stored-reviews.ts";

export type FuzzedSite = Awaited<ReturnType<typeof startFuzzedSite>>;

/** Connections that the test itself may keep open. */
const OWN_CONNECTIONS = 4;

/** Streams have up to three requests; more would start load shedding. */
const CONCURRENCY = 6;
const arrayLength = { minLength: 1, maxLength: CONCURRENCY, size: "max" } as const;

export async function startFuzzedSite() {
  const database = await createTestDatabase();
  const { db } = database;
  await createComparisons(db);
  await replaceProgramme(db, programme);
  await givenRefresh(db);
  await liftLimits(db);
  const probe = `--expose-gc --import ${new URL("./memory-probe.ts", import.meta.url).href}`;
  const accountsSite = await startAccountsSite({
    DATABASE_URL: database.url,
    NODE_OPTIONS: probe,
    TRUSTED_PROXIES: "127.0.0.1",
    METRICS_TOKEN,
  });
  const { site, google, github } = accountsSite;
  const destinations = [site.origin, google.issuer, github.url].map((url) => new URL(url).origin);
  const validAuthRequests = await authRequests(db, accountsSite);
  const reviewers = await inventReviewers(db, site.origin, 2);
  const [reviewer = expect.fail(), uncheckedReviewer = expect.fail()] = reviewers;
  const showIds = [0, 1, 40, 49].map(showId);
  const checkedRequests = await siteRequests(site.origin, reviewer, showIds);
  const uncheckedRequests = await siteRequests(site.origin, uncheckedReviewer, showIds);
  const accounts = () => countRows(db, ["users", "identities", "sessions"]);
  const accountsBefore = await accounts();
  const storedReviews = await trackStoredReviews(db, uncheckedReviewer);
  const sender = createSender(site.origin, CONCURRENCY);
  return {
    site,
    database,
    requests: fc.array(mutatedRequest([...checkedRequests, ...validAuthRequests]), arrayLength),
    /** By a user whose reviews are not checked, because their result is unknown. */
    streams: fc.array(brokenBytes([...uncheckedRequests, ...validAuthRequests]), arrayLength),
    async send(drafts: readonly RequestDraft[]): Promise<void> {
      const received = await Promise.all(
        drafts.map(async (draft) => ({ draft, response: await sender.send(draft) })),
      );
      await storedReviews.expectOnlyAcknowledged(received);
      for (const { draft, response } of received) {
        expectSafeResponse(draft, response);
        const { location } = response.headers;
        if (draft.path.startsWith("/auth/v1/") && location)
          expect(destinations).toContain(new URL(String(location), site.origin).origin);
      }
    },
    async sendBytes(streams: readonly Uint8Array[]): Promise<number> {
      const received = await Promise.all(streams.map((bytes) => sendBytes(site.origin, bytes)));
      await storedReviews.expectOnlyAcknowledged([]);
      received.forEach((text, index) => {
        const failures = text.match(/^HTTP\/1\.1 5.*/gm) ?? [];
        // A busy machine may draw no picture in time (docs/product.md §9.11).
        const allowed = Buffer.from(streams[index] ?? []).includes("/preview.png") ? failures : [];
        expect(failures).toEqual(allowed.filter((line) => line.includes(" 503 ")));
        expectNoInternals(text);
      });
      return received.filter((text) => text.startsWith("HTTP/1.1 ")).length;
    },
    measureMemory: () => readProbe(site),
    async expectHealthy() {
      sender.close();
      await expect
        .poll(async () => (await readProbe(site)).connections, polling)
        .toBeLessThanOrEqual(OWN_CONNECTIONS);
      await expectServersMatchDatabase(db, [site]);
      expect(await accounts()).toEqual(accountsBefore);
      // A line that is not from the logger counts as an error.
      expect(site.log.filter((line) => !/^{"level":[1-4]0,/.test(line))).toEqual([]);
    },
    async close() {
      sender.close();
      await accountsSite.close();
      await database.close();
    },
  };
}

const polling = { timeout: 60_000, interval: 50 };

const programme = {
  shows: Array.from({ length: 50 }, (_, index) => ({
    title: `Show ${index} </script><script>alert(1)</script>`,
    artist: index % 3 ? "Café & Co. “<3”" : null,
    venue_name: index % 4 ? "O'Hara’s — Room 2" : null,
    listed: index !== 49,
    year: YEAR,
    status: index % 7 ? ("active" as const) : ("cancelled" as const),
  })),
  reviews: interactions.map((interaction, user) => ({ show: 40 + user, user, interaction, at: user })),
};

const probeLine = z.object({
  msg: z.literal("memory probe"),
  connections: z.int(),
  heap: z.number(),
  rss: z.number(),
});

async function readProbe({ log, process }: SiteProcess) {
  const lines = () =>
    log.flatMap((line) => (line.includes('"memory probe"') ? [probeLine.parse(JSON.parse(line))] : []));
  const before = lines().length;
  process.kill("SIGUSR2");
  return vi.waitUntil(() => lines()[before], polling);
}
