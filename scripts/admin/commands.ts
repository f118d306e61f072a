import type { Command } from "./command.ts";
import { exportAccounts } from "./export-command.ts";
import { exportUser } from "./export-user.ts";
import { importAccounts } from "./import-command.ts";
import { listReviews, takeNotes, takeReview } from "./reviews.ts";
import { ban, removeUser, unban } from "./users.ts";

/** Everything that the operator can do, by name. */
export const commands: ReadonlyMap<string, Command> = new Map([
  ["list-reviews", listReviews],
  ["remove-review", takeReview],
  ["remove-notes", takeNotes],
  ["ban-user", ban],
  ["unban-user", unban],
  ["delete-user", removeUser],
  ["export-user", exportUser],
  ["export", exportAccounts],
  ["import", importAccounts],
]);
