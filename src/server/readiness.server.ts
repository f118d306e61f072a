import { Hono } from "hono";
import type { Logger } from "pino";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { findWriteProblem } from "../database/connection/session.server.ts";
import { isKnownOutage } from "../database/errors.server.ts";
import type { Db } from "../database/schema.server.ts";
import { withTimeout } from "../lib/bounded-wait.ts";
import { codeOf, messageOf } from "../lib/error-message.ts";
import { findRefreshes, type Refreshes } from "../refresh/refreshes-table.server.ts";

export interface Readiness extends Refreshes {
  /** From the first load of the catalogue until shutdown begins. */
  ready: boolean;
  database: "up" | "down";
  /** Whether reviews can be written and users can sign in. */
  writing: boolean;
  reason: string | null;
  shows: number;
}

const noStore = { "Cache-Control": "no-store" };

/** An instance stays ready during a database outage: it serves reads from memory. */
export function healthRoutes(readiness: () => Promise<Readiness>): Hono {
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, noStore));
  app.get("/readyz", async (c) => {
    const state = await readiness();
    return c.json(state, state.ready ? 200 : 503, noStore);
  });
  return app;
}

/** In ms: frequent probes must not load the database. */
const CACHE_TTL = 1_000;

interface ReadinessOptions {
  catalogue: Catalogue;
  db: Db;
  isStopping: () => boolean;
  log: Logger;
  now?: () => number;
  /** In ms. */
  timeout?: number;
}

/** During an outage, keeps the last known refreshes. Logs a warning when writing becomes impossible. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { catalogue, db, isStopping, log, now = () => performance.now(), timeout = 1_000 } = options;
  let refreshes: Refreshes = { last_refresh: null, last_success_at: null };
  let reason: string | null = null;
  let cached: { at: number; result: Promise<"up" | "down"> } | null = null;

  /** `findWriteProblem` gives the reason. */
  function keepWithoutRights(error: unknown): Refreshes {
    if (codeOf(error) === "42501" || codeOf(error) === "42P01") return refreshes;
    throw error;
  }

  async function queryDatabase(): Promise<"up" | "down"> {
    const before = reason;
    try {
      [refreshes, reason] = await withTimeout(
        timeout,
        Promise.all([findRefreshes(db).catch(keepWithoutRights), findWriteProblem(db)]),
      );
      return "up";
    } catch (error) {
      reason = isKnownOutage(error) ? messageOf(error) : "The database does not answer";
      return "down";
    } finally {
      if (reason !== null && reason !== before) log.warn({ reason }, "Nothing can be written");
    }
  }

  function checkDatabase(): Promise<"up" | "down"> {
    if (!cached || now() - cached.at >= CACHE_TTL) cached = { at: now(), result: queryDatabase() };
    return cached.result;
  }

  return async function readiness() {
    const database = await checkDatabase();
    const { loaded, shows } = catalogue.state();
    return {
      ready: loaded && !isStopping(),
      database,
      writing: reason === null,
      reason,
      shows,
      ...refreshes,
    };
  };
}
