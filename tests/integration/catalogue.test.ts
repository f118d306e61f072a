import fc from "fast-check";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { createCatalogueSync } from "../../src/catalogue/sync.server.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { declarations } from "../../src/domain/declared.ts";
import { interactions } from "../../src/domain/review.ts";
import { cleanSearch, type ShowQuery, showQuery, yesFilters } from "../../src/domain/show-query.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import {
  genres,
  type Programme,
  programmeArbitrary,
  replaceProgramme,
  searchArbitrary,
  showId,
} from "../support/programme.ts";
import { createComparisons, referenceList } from "../support/reference-list.ts";
import { recordingLog } from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";

const log = pino({ level: "silent" });
const database = await setUpDatabase();
const { db } = database;
await createComparisons(db);

const lists = fc.record({
  search: searchArbitrary.map(cleanSearch),
  interaction: fc.subarray([...interactions]),
  declared: fc.constantFrom(undefined, undefined, ...declarations),
  yes: fc.constantFrom(undefined, undefined, ...yesFilters),
  genre: fc.constantFrom(undefined, undefined, undefined, ...genres, "comedy"),
  page: fc.constantFrom(1, 1, 2, 3, 9),
});
const single = fc.nat(20).map((index) => showQuery(showId(index)));
const query = fc.oneof<fc.Arbitrary<ShowQuery>[]>(lists, lists, single);
const queries = fc.array(query, { minLength: 1, maxLength: 8 });

test("for any programme, reviews and query, the catalogue equals the rules of docs/product.md §2 in SQL", async () => {
  const catalogue = createCatalogue();
  const sync = createCatalogueSync({ catalogue, db: db, log });
  const check = untilTimeLimit(async (programme: Programme, queryList: ShowQuery[]) => {
    await replaceProgramme(db, programme);
    await sync.reload();
    for (const query of queryList) {
      const { page } = catalogue.find(query);
      const listed = { ...page, short_id: undefined, did_you_mean: undefined };
      expect(listed).toEqual(await referenceList(db, query));
    }
  });
  await fc.assert(fc.asyncProperty(programmeArbitrary, queries, check), { numRuns: 20 });
  sync.close();
});

test("an outage during a read is a warning with a reason, and no stack", async () => {
  const { log: recorded, lines } = recordingLog();
  const unavailable = connectDatabase("postgres://nobody@127.0.0.1:9/nothing", log, async () => {});
  const sync = createCatalogueSync({ catalogue: createCatalogue(), db: unavailable.db, log: recorded });
  await sync.reload();
  sync.close();
  await unavailable.close();
  expect(lines).toMatchObject([
    { level: 40, reason: expect.stringContaining("ECONNREFUSED"), msg: expect.stringContaining("Reviewed") },
    { level: 40, reason: expect.stringContaining("ECONNREFUSED"), msg: expect.stringContaining("Shows") },
  ]);
  expect(JSON.stringify(lines)).not.toContain("stack");
});
