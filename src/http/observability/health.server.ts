import { Hono } from "hono";

/** What `/readyz` tells of the process. */
export interface Readiness {
  /** True once the catalogue was loaded, be it empty, until the site is told to stop. */
  ready: boolean;
  database: "up" | "down";
  /** How many shows are listed. */
  shows: number;
  last_refresh: { finished_at: string; outcome: string } | null;
  /** When a refresh last succeeded, which may be before the last one. */
  last_success_at: string | null;
}

const fresh = { "Cache-Control": "no-store" };

/** `/healthz`: the process is alive. `/readyz`: it can answer visitors, which the database's absence does not change. */
export function healthRoutes(readiness: () => Promise<Readiness>): Hono {
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, fresh));
  app.get("/readyz", async (c) => {
    const state = await readiness();
    return c.json(state, state.ready ? 200 : 503, fresh);
  });
  return app;
}
