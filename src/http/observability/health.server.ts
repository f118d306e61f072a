import { Hono } from "hono";

/** The response of `/readyz`. */
export interface Readiness {
  /** True from the first load of the catalogue, even an empty one, until shutdown begins. */
  ready: boolean;
  database: "up" | "down";
  /** Whether reviews can be written and users can sign in. */
  writing: boolean;
  /** Why not, for the operator; null while writing is possible. */
  reason: string | null;
  /** The number of listed shows. */
  shows: number;
  last_refresh: { finished_at: string; outcome: string } | null;
  /** When a refresh last succeeded; earlier than `last_refresh` if later ones failed. */
  last_success_at: string | null;
}

const noStore = { "Cache-Control": "no-store" };

/** `/healthz`: the process is alive. `/readyz`: it can serve visitors, also while the database is down. */
export function healthRoutes(readiness: () => Promise<Readiness>): Hono {
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ status: "ok" }, 200, noStore));
  app.get("/readyz", async (c) => {
    const state = await readiness();
    return c.json(state, state.ready ? 200 : 503, noStore);
  });
  return app;
}
