import fc from "fast-check";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { createCatalogueSync } from "../../src/catalogue/sync.server.ts";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { announcements } from "../../src/domain/announced.ts";
import { interactions } from "../../src/domain/review.ts";
import { cleanSearch } from "../../src/domain/show-query.ts";
import { decodeTalliesUpdate } from "../../src/reviews/store/tallies-notification.server.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { givenReview } from "../support/given.ts";
import {
  programmeArbitrary,
  replaceProgramme,
  searchArbitrary,
  showId,
  userId,
} from "../support/programme.ts";
import { createComparisons, referenceList } from "../support/reference-list.ts";
import { recordingLog } from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";

const log = pino({ level: "silent" });
const database = await setUpDatabase();
const { db } = database;
await createComparisons(db);

const queries = fc.array(
  fc.record({
    search: searchArbitrary.map(cleanSearch),
    interaction: fc.subarray([...interactions]),
    announced: fc.constantFrom(undefined, undefined, ...announcements),
    yes: fc.constantFrom(undefined, "none" as const),
    page: fc.constantFrom(1, 1, 2, 3, 9),
  }),
  { minLength: 1, maxLength: 8 },
);

test("for any programme, reviews and query, the catalogue returns what the rules of docs/product.md §2 give in SQL", async () => {
  const catalogue = createCatalogue();
  const sync = createCatalogueSync({ catalogue, db: db, log });
  await fc.assert(
    fc.asyncProperty(
      programmeArbitrary,
      queries,
      untilTimeLimit(async (programme, queryList) => {
        await replaceProgramme(db, programme);
        await sync.reload();
        for (const query of queryList)
          expect(catalogue.find(query).page).toEqual(await referenceList(db, query));
      }),
    ),
    { numRuns: 20 },
  );
  sync.close();
});

test("a database that is away while it is read is a warning with a reason, and no stack", async () => {
  const { log: recorded, lines } = recordingLog();
  const away = connectDatabase("postgres://nobody@127.0.0.1:9/away", log, async () => {});
  const sync = createCatalogueSync({ catalogue: createCatalogue(), db: away.db, log: recorded });
  await sync.reload();
  sync.close();
  await away.close();
  expect(lines).toMatchObject([
    { level: 40, reason: expect.stringContaining("ECONNREFUSED"), msg: expect.stringContaining("Reviewed") },
    { level: 40, reason: expect.stringContaining("ECONNREFUSED"), msg: expect.stringContaining("Shows") },
  ]);
  expect(JSON.stringify(lines)).not.toContain("stack");
});

test("reviews written during a reload show at once and stay", async () => {
  const shows = Array.from({ length: 1_500 }, (_, index) => ({
    title: `Show ${index % 40}`,
    artist: null,
    venue_name: "Attic",
    listed: true,
    year: 2025 as const,
    status: "active" as const,
  }));
  await replaceProgramme(db, { shows, reviews: [] });
  const catalogue = createCatalogue();
  const sync = createCatalogueSync({ catalogue, db: db, log });
  const handlers = {
    tallies(payload: string) {
      const { showId, tallies } = decodeTalliesUpdate(payload);
      catalogue.updateTallies(showId, tallies);
    },
  };
  const subscription = subscribeToNotifications({
    url: database.url,
    handlers,
    onConnected: sync.reload,
    log,
  });
  await subscription.firstAttempt;
  const first = { search: "", interaction: [], page: 1 };
  // Show 0 is left out: it is first by title even before its review arrives.
  for (let show = 1; show < 30; show++) {
    const id = showId(show * 50);
    const reloaded = sync.reload();
    await givenReview(db, { show_id: id, user_id: userId(1) });
    await vi.waitFor(() => expect(catalogue.find(first).page.shows[0]?.id).toBe(id), 30_000);
    await reloaded;
    expect(catalogue.find(first).page).toEqual(await referenceList(db, first));
  }
  await subscription.close();
  sync.close();
});
