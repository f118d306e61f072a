import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { FestivalApiConfig } from "../src/config.server.ts";
import type { Schema } from "../src/database/schema.server.ts";
import { refreshShows } from "../src/refresh/refresh.server.ts";
import { showProgress } from "../scripts/refresh-progress.ts";
import type { FestivalStandIn } from "./festival/server.ts";
import { seedDemoReviews } from "./reviews/seed.ts";

interface ProgrammeOptions {
  db: Kysely<Schema>;
  /** Null: the stand-in is all there is. */
  api: FestivalApiConfig | null;
  standIn: FestivalStandIn | null;
  log: Logger;
  signal: AbortSignal;
}
