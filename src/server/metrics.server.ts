import process from "node:process";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { Pool } from "pg";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { buildInfo } from "../config/build-info.server.ts";
import { findLastBackup } from "../database/backups-table.server.ts";
import type { Db } from "../database/schema.server.ts";
import type { Provider } from "../domain/account.ts";
import type { ObserveRequest } from "../http/observability/record-requests.server.ts";
import { withTimeout } from "../lib/bounded-wait.ts";
import { findModerationFigures } from "../moderation/store/report-queue.server.ts";
import { countGaps } from "../refresh/refreshes-table.server.ts";
import { hasReviews } from "../reviews/store/reviews-table.server.ts";
import type { Readiness } from "./readiness.server.ts";

export type Metrics = ReturnType<typeof createMetrics>;

interface MetricsOptions {
  catalogue: Catalogue;
  db: Db;
  pool: Pool;
  readiness: () => Promise<Readiness>;
  postgresVersion: string;
  countStrays: () => number;
}

/** In seconds. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(options: MetricsOptions) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "front_row_http_request_duration_seconds",
    help: "Duration of requests, by route pattern, method and status",
    labelNames: ["method", "route", "status"],
    buckets: requestBuckets,
    registers,
  });
  new Gauge({
    name: "front_row_build_info",
    help: "1, with what runs: version and commit of the site, versions of Node and PostgreSQL",
    labelNames: ["version", "commit", "node", "postgresql"],
    registers,
  }).set(
    {
      version: buildInfo.version,
      commit: buildInfo.commit ?? "unknown",
      node: process.versions.node,
      postgresql: options.postgresVersion,
    },
    1,
  );
  const updateGauges = createGauges(options, registry);
  const counter = <T extends string = never>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter({ name: `front_row_${name}_total`, help, labelNames, registers });
  const signIns = counter("sign_ins", "Steps of sign-ins, by provider and outcome", ["provider", "outcome"]);
  const reviews = counter("reviews", "Reviews that were sent: written, deleted, or refused by code", [
    "outcome",
  ]);
  const refused = counter(
    "refused_requests",
    "Requests refused because of overload: answered 503 without any work, or evicted",
  );
  const strays = counter(
    "stray_rejections",
    "Rejected promises that nothing handled: each is a mistake in the code, logged with its stack",
  );
  const messages = counter(
    "moderation_messages",
    "Messages to the moderation webhook, by outcome; those that failed are sent again",
    ["outcome"],
  );
  for (const outcome of ["accepted", "failed"]) messages.inc({ outcome }, 0);
  const observeRequest: ObserveRequest = (request, seconds) => duration.observe(request, seconds);
  return {
    registry,
    observeRequest,
    /** `outcome`: `started`, `succeeded`, `refused` (by the provider or its user) or an error code. */
    recordSignIn(provider: Provider | null, outcome: string) {
      signIns.inc({ provider: provider ?? "unknown", outcome });
    },
    countReview: (outcome: string) => reviews.inc({ outcome }),
    countRefusal: () => refused.inc(),
    countMessage: (outcome: "accepted" | "failed") => messages.inc({ outcome }),
    async read() {
      await updateGauges();
      strays.reset();
      strays.inc(options.countStrays());
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

const FIGURES_TIMEOUT_MS = 1_000;

const refreshOutcomes = ["succeeded", "failed", "refused", "interrupted"];

/** Times are in seconds since 1970; 0: never. */
function createGauges({ catalogue, db, pool, readiness }: MetricsOptions, registry: Registry) {
  const gauge = <T extends string = never>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge({ name: `front_row_${name}`, help, labelNames, registers: [registry] });
  const shows = gauge("catalogue_shows", "Shows in the list");
  const read = gauge("catalogue_read_timestamp_seconds", "When the list was last read from the database");
  const tallies = gauge(
    "catalogue_tallies_known",
    "1 when the list has its tallies, 0 when it shows shows alone",
  );
  const databaseUp = gauge("database_up", "Whether the database answered within a second");
  const connections = gauge("database_connections", "Open connections to the database", ["state"]);
  const most = gauge("database_connections_max", "How many connections there may be");
  const waiting = gauge("database_waiting", "Requests that wait for a connection");
  const finished = gauge(
    "refresh_finished_timestamp_seconds",
    "When the last refresh ended, whatever its outcome",
  );
  const success = gauge("refresh_success_timestamp_seconds", "When the last refresh ended that succeeded");
  const outcome = gauge("refresh_outcome", "1 for how the last refresh ended", ["outcome"]);
  const gaps = new Counter({
    name: "front_row_refresh_gaps_total",
    help: "Refreshes that took the list although the festival counts a few more shows than it sends",
    registers: [registry],
  });
  const openReports = gauge("reports_open", "Reports that wait for a decision");
  const oldestReport = gauge(
    "report_oldest_timestamp_seconds",
    "Since when the oldest open report waits; 0: none",
  );
  const hiddenNotes = gauge("notes_hidden", "Notes that are hidden from everybody but their authors");

  const lastBackup = gauge("backup_success_timestamp_seconds", "When the last backup was made; 0: never");
  const backupNeeded = gauge("backup_needed", "1 if there are reviews, 0 if there is nothing to lose yet");

  /** Keeps the last figures during an outage. */
  async function updateFigures(): Promise<void> {
    const read = Promise.all([findModerationFigures(db), findLastBackup(db), hasReviews(db), countGaps(db)]);
    const [figures, backupAt, needed, gapCount] = await withTimeout(FIGURES_TIMEOUT_MS, read).catch(() => []);
    if (!figures) return;
    lastBackup.set((backupAt?.getTime() ?? 0) / 1000);
    backupNeeded.set(Number(needed));
    gaps.reset();
    gaps.inc(gapCount);
    openReports.set(figures.openReports);
    oldestReport.set((figures.oldestAt?.getTime() ?? 0) / 1000);
    hiddenNotes.set(figures.hiddenNotes);
  }

  return async function update() {
    const { database, last_refresh, last_success_at } = await readiness();
    if (database === "up") await updateFigures();
    const state = catalogue.state();
    shows.set(state.shows);
    read.set(state.readAt / 1000);
    tallies.set(Number(state.talliesKnown));
    databaseUp.set(Number(database === "up"));
    connections.set({ state: "idle" }, pool.idleCount);
    connections.set({ state: "busy" }, pool.totalCount - pool.idleCount);
    most.set(pool.options.max);
    waiting.set(pool.waitingCount);
    finished.set(seconds(last_refresh?.finished_at));
    success.set(seconds(last_success_at));
    for (const name of refreshOutcomes)
      outcome.set({ outcome: name }, Number(name === last_refresh?.outcome));
  };
}

function seconds(time: string | null | undefined): number {
  return time ? Date.parse(time) / 1000 : 0;
}
