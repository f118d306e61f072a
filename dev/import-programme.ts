import type { Logger } from "pino";
import { showProgress } from "../src/cli/progress-bar.ts";
import type { FestivalApiConfig } from "../src/config/environment.server.ts";
import type { Db } from "../src/database/schema.server.ts";

interface ProgrammeOptions {
  db: Db;
  api: FestivalApiConfig;
  log: Logger;
  signal: AbortSignal;
}

/** Only into an empty database. The schedule refreshes a database with shows. */
export async function importProgramme({ db, api, log, signal }: ProgrammeOptions): Promise<void> {
  const { shows } = await db
    .selectFrom("shows")
    .select((row) => row.fn.countAll<string>().as("shows"))
    .executeTakeFirstOrThrow();
  if (Number(shows) > 0) return console.log(`The database has a programme of ${shows} shows.`);
  console.log("Importing the programme …");
  const { refreshShows } = await import("../src/refresh/run-refresh.server.ts"); // not loaded by later starts
  const progress = showProgress("Fetching the programme", "shows");
  const result = await refreshShows({ db, api, log, signal, onProgress: progress.update });
  progress.stop();
  if (result.outcome === "succeeded") console.log(`${result.listed} shows are listed.`);
  else if (result.outcome !== "interrupted") console.log("The import failed. The server will try again.");
}
