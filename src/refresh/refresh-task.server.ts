import type { Logger } from "pino";
import { z } from "zod";
import type { Db } from "../database/schema.server.ts";
import { addJob, type Task } from "../jobs/job-queue.server.ts";
import { findOverdue } from "./refreshes-table.server.ts";
import type { RefreshOutcome } from "./run-refresh.server.ts";

/** Between two refreshes (docs/product.md §7.2). */
const HOURS = 12;
const NAME = "refresh-shows";
/** For about 80 minutes, with delays from 3 s to 50 min (docs/product.md §7.2). */
const ATTEMPTS = 9;

/** @param unlessSucceededSince ISO 8601 */
export type Refresh = (signal: AbortSignal, unlessSucceededSince: string, db: Db) => Promise<RefreshOutcome>;

const jobPayload = z.union([
  z.object({ since: z.string() }),
  z.object({ _cron: z.object({ ts: z.string() }) }).transform(({ _cron }) => ({ since: _cron.ts })),
]);

/** Also runs at the start, if a refresh was missed (docs/product.md §7.2). */
export function refreshTask(refresh: Refresh, log: Logger): Task {
  return {
    name: NAME,
    pattern: `0 */${HOURS} * * *`,
    cron: { maxAttempts: ATTEMPTS, backfillPeriod: HOURS * 3_600_000 },
    async onStart(db) {
      const since = await findOverdue(db, HOURS);
      if (since !== null) await addJob(db, NAME, { payload: { since }, maxAttempts: ATTEMPTS });
    },
    async run({ payload, db, signal }) {
      const { since } = jobPayload.parse(payload);
      const { outcome } = await refresh(signal, since, db);
      if (outcome === "succeeded" || outcome === "current" || outcome === "refused") return;
      if (!signal.aborted) log.warn({ outcome }, "The shows were not refreshed; it will be tried again");
      throw new Error(`The refresh ended as ${outcome}`);
    },
  };
}
