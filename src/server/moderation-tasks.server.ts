import type { Logger } from "pino";
import { createModerationTokens } from "../auth/tokens/moderation-token.server.ts";
import type { SigningKeys } from "../auth/tokens/signing-keys.server.ts";
import type { Config } from "../config/environment.server.ts";
import type { ScheduledTask } from "../refresh/schedule/cron.server.ts";
import { createAnnouncer } from "../reviews/moderation/announcements.server.ts";

interface ModerationTasksOptions {
  config: Pick<Config, "moderationWebhook" | "origin">;
  signingKeys: SigningKeys;
  log: Logger;
}

/** What the job queue does for moderation: nothing without a webhook. */
export function moderationTasks({ config, signingKeys, log }: ModerationTasksOptions): ScheduledTask[] {
  const { moderationWebhook: webhook, origin } = config;
  if (webhook === null) return [];
  const tokens = createModerationTokens(signingKeys, origin);
  const linkTo = async (reportId: string) => `${origin}/api/moderation/${await tokens.issue(reportId)}`;
  return [{ name: "announce-reports", pattern: "* * * * *", run: createAnnouncer({ webhook, linkTo, log }) }];
}
