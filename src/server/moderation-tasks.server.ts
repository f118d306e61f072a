import type { Logger } from "pino";
import { createModerationTokens } from "../auth/tokens/moderation-token.server.ts";
import type { SigningKeys } from "../auth/tokens/signing-keys.server.ts";
import type { Config } from "../config/environment.server.ts";
import type { ScheduledTask } from "../refresh/schedule/cron.server.ts";
import { createAnnouncer } from "../reviews/moderation/announcements.server.ts";

interface ModerationTasksOptions {
  config: Pick<Config, "moderationWebhook" | "origin">;
  signingKeys: SigningKeys;
  /** Counts the messages that were sent. */
  countMessage: (outcome: "accepted" | "failed") => void;
  log: Logger;
}

/** What the job queue does for moderation: nothing without a webhook. */
export function moderationTasks(options: ModerationTasksOptions): ScheduledTask[] {
  const { signingKeys, countMessage, log } = options;
  const { moderationWebhook: webhook, origin } = options.config;
  if (webhook === null) return [];
  const tokens = createModerationTokens(signingKeys, origin);
  const linkTo = async (reportId: string) => `${origin}/api/moderation/${await tokens.issue(reportId)}`;
  const run = createAnnouncer({ webhook, linkTo, countMessage, log });
  return [{ name: "announce-reports", pattern: "* * * * *", run }];
}
