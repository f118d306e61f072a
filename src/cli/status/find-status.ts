import { statfs } from "node:fs/promises";
import process from "node:process";
import { countListedShows } from "../../catalogue/snapshot-queries.server.ts";
import { buildInfo } from "../../config/build-info.server.ts";
import type { Config } from "../../config/environment.server.ts";
import { findLastBackup } from "../../database/backups-table.server.ts";
import { findServerFigures } from "../../database/server-figures.server.ts";
import { findUnsent } from "../../moderation/messages/announcements.server.ts";
import { findModerationFigures, findYearlyCounts } from "../../moderation/store/report-queue.server.ts";
import { findQuarantined } from "../../moderation/store/suspicious-accounts.server.ts";
import { findRefreshes } from "../../refresh/runs-table.server.ts";
import { findReviewFigures } from "../../reviews/store/operator-reviews.server.ts";
import type { Db } from "../command.ts";

export type StatusConfig = Pick<Config, "databaseUrl" | "dataDir" | "moderationWebhook">;

export type Status = Awaited<ReturnType<typeof findStatus>>;

/** By the names of the JSON (docs/operations/incidents.md). */
export async function findStatus(db: Db, { databaseUrl, dataDir, moderationWebhook }: StatusConfig) {
  const [server, refreshes, listed, reviews, moderation, years, quarantined, messages, backupAt, disk] =
    await Promise.all([
      findServerFigures(db),
      findRefreshes(db),
      countListedShows(db),
      findReviewFigures(db),
      findModerationFigures(db),
      findYearlyCounts(db),
      findQuarantined(db),
      moderationWebhook && findUnsent(db),
      findLastBackup(db),
      databaseUrl ? null : statfs(dataDir),
    ]);
  return {
    ...buildInfo,
    node: process.versions.node,
    postgresql: server.version,
    ...refreshes,
    listed_shows: listed,
    has_reviews: reviews.exist,
    reviews_last_24_hours: reviews.lately,
    open_reports: moderation.openReports,
    oldest_report_at: moderation.oldestAt?.toISOString() ?? null,
    years,
    hidden_notes: moderation.hiddenNotes,
    closed: { all: reviews.allClosed, shows: reviews.closedShows },
    quarantined_accounts: quarantined.length,
    waiting_messages: messages ? messages.waiting : null,
    messages_fail: messages?.fail ?? false,
    last_backup_at: backupAt?.toISOString() ?? null,
    database_bytes: server.size,
    disk_free_bytes: disk && disk.bavail * disk.bsize,
  };
}
