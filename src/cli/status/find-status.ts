import { statfs } from "node:fs/promises";
import process from "node:process";
import { z } from "zod";
import { countListedShows } from "../../catalogue/snapshot-queries.server.ts";
import { buildInfo } from "../../config/build-info.server.ts";
import type { Config } from "../../config/environment.server.ts";
import { countStrayRejections } from "../../database/audit-log.server.ts";
import { findLastBackup } from "../../database/backups-table.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { findServerFigures } from "../../database/server-figures.server.ts";
import { messageOf } from "../../lib/error-message.ts";
import { findUnsent } from "../../moderation/messages/notifications.server.ts";
import { findQuarantined } from "../../moderation/store/quarantine.server.ts";
import { findModerationFigures, findYearlyCounts } from "../../moderation/store/report-queue.server.ts";
import { findRefreshes } from "../../refresh/refreshes-table.server.ts";
import { findReviewFigures } from "../../reviews/store/operator-reviews.server.ts";
import { hasReviews } from "../../reviews/store/reviews-table.server.ts";
import { escapeControls } from "../console.ts";

export type StatusConfig = Pick<Config, "databaseUrl" | "dataDir" | "moderationWebhook" | "releasesUrl">;

export type Status = Awaited<ReturnType<typeof findStatus>>;

/** What `status --json` prints, without `waiting` (docs/operations/incidents.md). */
export async function findStatus(db: Db, config: StatusConfig) {
  const { databaseUrl, dataDir, moderationWebhook, releasesUrl } = config;
  const server = await findServerFigures(db);
  const moderation = await findModerationFigures(db);
  const messages = moderationWebhook ? await findUnsent(db) : { waiting: null, fail: false };
  const disk = databaseUrl ? null : await statfs(dataDir);
  return {
    ...buildInfo,
    newer_version: await findNewerVersion(releasesUrl, buildInfo.version),
    node: process.versions.node,
    postgresql: server.version,
    ...(await findRefreshes(db)),
    listed_shows: await countListedShows(db),
    has_reviews: await hasReviews(db),
    ...(await findReviewFigures(db)),
    open_reports: moderation.openReports,
    oldest_report_at: moderation.oldestAt?.toISOString() ?? null,
    years: await findYearlyCounts(db),
    hidden_notes: moderation.hiddenNotes,
    quarantined_accounts: (await findQuarantined(db)).length,
    waiting_messages: messages.waiting,
    messages_fail: messages.fail,
    stray_rejections_last_24_hours: await countStrayRejections(db),
    last_backup_at: (await findLastBackup(db))?.toISOString() ?? null,
    database_bytes: server.size,
    disk_free_bytes: disk && disk.bavail * disk.bsize,
  };
}

/** In ms. */
const RELEASES_TIMEOUT = 5_000;

/** As GitHub answers `/repos/<owner>/<name>/releases/latest`. */
const release = z.object({ tag_name: z.string() });

/** A line that names a newer version, or says why none is known. Null without either. */
async function findNewerVersion(url: string | undefined, own: string): Promise<string | null> {
  if (!url) return null;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RELEASES_TIMEOUT) });
    if (!response.ok) throw new Error(`it was answered with ${response.status}`);
    const { tag_name } = release.parse(await response.json());
    const [, newest = own] = /^v?(\d+\.\d+\.\d+)$/.exec(tag_name) ?? [];
    return newest.localeCompare(own, "en", { numeric: true }) > 0
      ? `Version ${newest} is there: upgrade to it`
      : null;
  } catch (error) {
    const isOtherFormat = error instanceof z.ZodError || error instanceof SyntaxError;
    const reason = isOtherFormat ? "it names no releases" : escapeControls(messageOf(error));
    return `Whether there is a newer version is not known: RELEASES_URL was not read (${reason})`;
  }
}
