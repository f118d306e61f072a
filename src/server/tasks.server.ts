import type { Logger } from "pino";
import { accountCleanup } from "../auth/store/account-cleanup.server.ts";
import type { Config, FestivalApiConfig } from "../config/environment.server.ts";
import type { Db } from "../database/schema.server.ts";
import type { Task } from "../jobs/job-queue.server.ts";
import { notificationTasks } from "../moderation/messages/notifications.server.ts";
import { insertLink } from "../moderation/store/queue-links.server.ts";
import { reviewCleanup } from "../moderation/store/review-cleanup.server.ts";
import { refreshTask } from "../refresh/refresh-task.server.ts";
import type { Metrics } from "./metrics.server.ts";

interface TaskOptions {
  config: Pick<Config, "moderationWebhook" | "origin">;
  festivalApi: FestivalApiConfig;
  metrics: Pick<Metrics, "countMessage">;
  log: Logger;
}

export function createTasks({ config, festivalApi, metrics, log }: TaskOptions): Task[] {
  const refresh = refreshTask(async (signal, unlessSucceededSince, db) => {
    // Imported when needed: its parsers take much memory.
    const { refreshShows } = await import("../refresh/run-refresh.server.ts");
    return refreshShows({ api: festivalApi, db, signal, unlessSucceededSince, log });
  }, log);
  const { moderationWebhook: webhook, origin } = config;
  const { countMessage } = metrics;
  const linkTo = async (report_id: string, db: Db) =>
    `${origin}${(await insertLink(db, { report_id })).path}`;
  const messages = webhook ? notificationTasks({ webhook, linkTo, countMessage, log }) : [];
  return [refresh, accountCleanup, reviewCleanup, ...messages];
}
