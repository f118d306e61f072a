import type { Kysely } from "kysely";
import type { Schema } from "./database/schema.server.ts";
import type { Readiness } from "./http/health.server.ts";
import type { Catalogue } from "./shows/catalogue.server.ts";

/** How long the database may take to answer before it counts as down, in ms. */
const PATIENCE = 1_000;

/** What `/readyz` tells: asks the database each time, and remembers the last refresh for when it does not answer. */
export function createReadiness(catalogue: Catalogue, db: Kysely<Schema>): () => Promise<Readiness> {
  let lastRefresh: Readiness["last_refresh"] = null;

  return async function readiness() {
    const found = await Promise.race([findLastRefresh(db), tooLate()]).catch(() => "down" as const);
    if (found !== "down") lastRefresh = found;
    const { loaded, shows } = catalogue.state();
    return { ready: loaded, database: found === "down" ? "down" : "up", shows, last_refresh: lastRefresh };
  };
}

async function findLastRefresh(db: Kysely<Schema>): Promise<Readiness["last_refresh"]> {
  const row = await db
    .selectFrom("refreshes")
    .select(["finished_at", "outcome"])
    .where("finished_at", "is not", null)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.finished_at && row.outcome ? { finished_at: row.finished_at.toISOString(), outcome: row.outcome } : null;
}

function tooLate(): Promise<"down"> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE, "down").unref());
}
