import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import { inventReviewers, liftLimits, type Reviewer } from "../../../dev/harness/reviewers.ts";
import type { Database } from "../../../src/database/open.server.ts";
import { interactions } from "../../../src/domain/review.ts";
import { type AccountsSite, startAccountsSite } from "../accounts.ts";
import { createTestDatabase } from "../postgres.ts";
import { replaceProgramme, showId } from "../programme.ts";
import { createComparisons } from "../reference-list.ts";
import { expectServersMatchDatabase } from "../reference-reviews.ts";
import { recordRecentRefresh, type Site } from "../site.ts";
import { authRequests, insertSignInFlows } from "./auth-requests.ts";
import { brokenBytes, sendBytes } from "./broken-bytes.ts";
import { expectNoInternals, expectSafeResponse } from "./expect-safe-response.ts";
import { mutatedRequest } from "./mutate-request.ts";
import { createSender, type RequestDraft } from "./request.ts";
import { METRICS_TOKEN, siteRequests } from "./site-requests.ts";
import { trackStoredReviews } from "./track-stored-reviews.ts";

/** A site that is sent nonsense, and what is looked at meanwhile. */
export interface FuzzedSite {
  site: Site;
  database: Database;
  /** Some requests, each spoiled, of every kind. */
  requests: fc.Arbitrary<RequestDraft[]>;
  /** Some streams of broken bytes. Reviews in them are by somebody whose reviews do not matter: nobody knows what was written. */
  streams: fc.Arbitrary<Uint8Array[]>;
  /** Sends requests at the same time; expects decent answers, and in the database what was acknowledged and nothing else. */
  send(drafts: readonly RequestDraft[]): Promise<void>;
  /** The same of streams of bytes. Answers how many were answered at all. */
  sendBytes(streams: readonly Uint8Array[]): Promise<number>;
  /** What the server holds once it has collected its garbage: bytes of its heap and outside of it, open connections. */
  measureMemory(): Promise<{ connections: number; heap: number; rss: number }>;
  /** Expects a server that is as well as at the beginning, tells what is stored, and has logged no error. */
  expectHealthy(): Promise<void>;
  close(): Promise<void>;
}

/** Connections that a test itself may keep, for what it asks beside. */
const KEPT = 4;

/** How many come at a time, of up to three requests each where they are streams: fewer than make a server think that there is a crowd. */
const AT_ONCE = 6;
const some = { minLength: 1, maxLength: AT_ONCE, size: "max" } as const;

export async function startFuzzedSite(): Promise<FuzzedSite> {
  const database = await createTestDatabase();
  const { db } = database;
  await createComparisons(db);
  await replaceProgramme(db, programme);
  await recordRecentRefresh(db);
  await liftLimits(db);
  const probe = `--expose-gc --import ${new URL("./memory-probe.ts", import.meta.url).href}`;
  const accountsSite = await startAccountsSite(database.url, {
    NODE_OPTIONS: probe,
    TRUSTED_PROXIES: "127.0.0.1",
    METRICS_TOKEN,
  });
  const { site } = accountsSite;
  const ofAccounts = await authRequests(accountsSite);
  await insertSignInFlows(db, site.origin);
  const [wren, scribbler] = await inventReviewers(db, site.origin, 2);
  if (!wren || !scribbler) throw new Error("Nobody was invented");
  const requestsOf = await describeSite(accountsSite);
  const book = await trackStoredReviews(db, scribbler);
  const sender = createSender(site.origin, AT_ONCE);

  return {
    site,
    database,
    requests: fc.array(mutatedRequest([...requestsOf(wren), ...ofAccounts]), some),
    streams: fc.array(brokenBytes([...requestsOf(scribbler), ...ofAccounts]), some),
    async send(drafts) {
      const received = await Promise.all(drafts.map(async (draft) => ({ draft, answer: await sender.send(draft) })));
      await book.expectOnlyAcknowledged(received.map(({ answer }) => answer));
      for (const { draft, answer } of received) expectSafeResponse(draft, answer);
    },
    async sendBytes(streams) {
      const received = await Promise.all(streams.map((bytes) => sendBytes(site.origin, bytes)));
      await book.expectOnlyAcknowledged([]);
      for (const text of received) {
        expect(text).not.toMatch(/^HTTP\/1\.1 5/m);
        expectNoInternals(text);
      }
      return received.filter((text) => text.startsWith("HTTP/1.1 ")).length;
    },
    measureMemory: () => askProbe(site),
    async expectHealthy() {
      sender.close();
      await expect.poll(async () => (await askProbe(site)).connections, patience).toBeLessThanOrEqual(KEPT);
      await expectServersMatchDatabase(db, [site]);
      expect(site.log.filter((line) => levelOf(line) >= 50)).toEqual([]);
    },
    async close() {
      sender.close();
      await accountsSite.close();
      await database.close();
    },
  };
}

const patience = { timeout: 60_000, interval: 50 };

/** Shows with texts of which some find their way into a page, and reviews. */
const programme = {
  shows: Array.from({ length: 50 }, (_, index) => ({
    title: `Show ${index} </script><script>alert(1)</script>`,
    artist: index % 3 ? "Café & Co. “<3”" : null,
    venue_name: index % 4 ? "O'Hara’s — Room 2" : null,
    listed: index !== 49,
    year: 2025 as const,
    status: index % 7 ? ("active" as const) : ("cancelled" as const),
  })),
  reviews: interactions.map((interaction, user) => ({ show: 40 + user, user, interaction, at: user })),
};

/** Answers what makes the good requests of a reviewer. */
async function describeSite({ site }: AccountsSite): Promise<(reviewer: Reviewer) => RequestDraft[]> {
  const page = await fetch(site.origin);
  const etag = page.headers.get("etag") ?? expect.fail();
  const html = await page.text();
  const file = /"(\/assets\/root-[^"]+\.js)"/.exec(html)?.[1] ?? expect.fail();
  const routesVersion = /"\/assets\/manifest-([0-9a-f]+)\.js"/.exec(html)?.[1] ?? expect.fail();
  const showIds = [showId(0), showId(1), showId(40), showId(49)];
  return (reviewer) => siteRequests({ reviewer, showIds, file, etag, routesVersion });
}

const heldLine = z.object({ msg: z.literal("held"), connections: z.int(), heap: z.number(), rss: z.number() });

async function askProbe({ log, process }: Site) {
  const lines = () => log.flatMap((line) => (line.includes('"held"') ? [heldLine.parse(JSON.parse(line))] : []));
  const before = lines().length;
  process.kill("SIGUSR2");
  return expect
    .poll(() => lines()[before], patience)
    .toBeDefined()
    .then(() => lines().at(-1) ?? expect.fail());
}

/** A line that is none of the log's own counts as an error. */
function levelOf(line: string): number {
  try {
    return z.object({ level: z.number() }).parse(JSON.parse(line)).level;
  } catch {
    return 100;
  }
}
