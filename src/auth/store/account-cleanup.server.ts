import type { Task } from "../../jobs/job-queue.server.ts";
import { forgetDeletedAccounts } from "./manage-users.server.ts";
import { deleteExpiredSessions } from "./sessions-table.server.ts";
import { deleteOldAttempts } from "./sign-ins-table.server.ts";

export const accountCleanup: Task = {
  name: "clean-up-accounts",
  pattern: "*/10 * * * *",
  cron: { backfillPeriod: 10 * 60_000 },
  async run({ db }) {
    await deleteOldAttempts(db);
    await deleteExpiredSessions(db);
    await forgetDeletedAccounts(db);
  },
};
