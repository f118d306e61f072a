import { pino } from "pino";
import { startFestivalStandIn } from "../../dev/festival/server.ts";
import { seedDemoReviews } from "../../dev/reviews/seed.ts";
import { temporaryDataDir } from "../../scripts/running-site.ts";
import { startEmbeddedPostgres } from "../../src/database/embedded.server.ts";
import { openDatabase } from "../../src/database/open.server.ts";
import { refreshShows } from "../../src/refresh/refresh.server.ts";
import { pretendRefreshed } from "../../tests/support/site.ts";
import { unhurried } from "../data/unhurried.ts";
import { grow, type Size } from "./generate.ts";

/** For rows that are put in once, and made anew when anything goes wrong. */
const bulkSettings = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_size: "8GB",
  shared_buffers: "512MB",
  maintenance_work_mem: "1GB",
  work_mem: "256MB",
  autovacuum: "off",
};

/** A data folder with a programme of this size in its database; it goes away with the stack. */
export async function prepareGrown(size: Size, running: AsyncDisposableStack): Promise<string> {
  const dataDir = await temporaryDataDir(running);
  const log = pino({ level: "error" });
  await using making = new AsyncDisposableStack();
  const server = await startEmbeddedPostgres({ dataDir, log, settings: bulkSettings });
  making.defer(server.stop);
  const database = await openDatabase({ databaseUrl: server.url, dataDir, log, sharing: "own", answerWithin: 0 });
  making.defer(database.close);
  const festival = await startFestivalStandIn();
  making.defer(festival.close);
  await refreshShows({ db: database.db, api: festival, log });
  await seedDemoReviews(database.db, log);
  await unhurried(database.db, (db) => grow(db, size));
  await pretendRefreshed(database.db);
  return dataDir;
}
