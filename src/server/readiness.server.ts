import type { Kysely } from "kysely";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { Schema } from "../database/schema.server.ts";
import type { Readiness } from "../http/observability/health.server.ts";
import { withTimeout } from "../lib/timeout.server.ts";

/** How long the database may take to answer before it counts as down, in ms. */
const PATIENCE = 1_000;

/** How long what the database said is told again, in ms: however often anybody asks, it is asked once at a time. */
const KEPT = 1_000;

interface ReadinessOptions {
  catalogue: Catalogue;
  db: Kysely<Schema>;
  isStopping: () => boolean;
  now?: () => number;
}

/** What `/readyz` tells: asks the database once a second at most, and remembers the refreshes for when it does not answer. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { catalogue, db, isStopping, now = () => performance.now() } = options;
  let refreshes: Refreshes = { last_refresh: null, last_success_at: null };
  let asked: { at: number; found: Promise<Refreshes | "down"> } | null = null;

  function ask(): Promise<Refreshes | "down"> {
    if (asked && now() - asked.at < KEPT) return asked.found;
    asked = { at: now(), found: withTimeout(PATIENCE, findRefreshes(db)).catch(() => "down" as const) };
    return asked.found;
  }

  return async function readiness() {
    const found = await ask();
    if (found !== "down") refreshes = found;
    const { loaded, shows } = catalogue.state();
    return { ready: loaded && !isStopping(), database: found === "down" ? "down" : "up", shows, ...refreshes };
  };
}

type Refreshes = Pick<Readiness, "last_refresh" | "last_success_at">;

async function findRefreshes(db: Kysely<Schema>): Promise<Refreshes> {
  const finished = db.selectFrom("refreshes").select(["finished_at", "outcome"]).where("finished_at", "is not", null);
  const newest = finished.orderBy("id", "desc").limit(1);
  const [last, success] = await Promise.all([
    newest.executeTakeFirst(),
    newest.where("outcome", "=", "succeeded").executeTakeFirst(),
  ]);
  return {
    last_refresh:
      last?.finished_at && last.outcome ? { finished_at: last.finished_at.toISOString(), outcome: last.outcome } : null,
    last_success_at: success?.finished_at?.toISOString() ?? null,
  };
}
