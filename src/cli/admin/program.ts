import { Command } from "commander";
import type { RunTask } from "./command.ts";
import { exportAccounts } from "./export-command.ts";
import { exportUser } from "./export-user.ts";
import { importAccounts } from "./import-command.ts";
import { addModerationCommands } from "./moderation-program.ts";
import { listReviews, runMoveReviews, runRemoveNotes, runRemoveReview, runUndoMove } from "./reviews.ts";
import { runBanUser, runDeleteUser, runUnbanUser } from "./users.ts";

const showId = "<show id>";
const user = "<e-mail or id>";

/**
 * The operator's commands. Parsing calls `run` with the task of the given command.
 * Throws a CommanderError for invalid arguments and for --help, after printing the error or the help.
 */
export function createProgram(run: RunTask): Command {
  const program = new Command("npm run admin --").exitOverride().showHelpAfterError().helpCommand(false);
  program
    .command("list-reviews")
    .description(
      "lists the reviews of a show, or by a user, newest first, one a line; at least one is needed",
    )
    .option(`--show ${showId}`, "of this show")
    .option(`--user ${user}`, "by this user")
    .action((filter: { show?: string; user?: string }, command: Command) => {
      if (filter.show === undefined && filter.user === undefined)
        command.error("error: name a --show or a --user");
      return run((db) => listReviews(db, filter));
    });
  program
    .command("remove-review")
    .description("removes the user's review of the show; the tallies follow")
    .argument(showId)
    .argument(user)
    .action((show: string, emailOrId: string) => run((db) => runRemoveReview(db, show, emailOrId)));
  program
    .command("remove-notes")
    .description("removes the notes of the user's review of the show; the answer stays")
    .argument(showId)
    .argument(user)
    .action((show: string, emailOrId: string) => run((db) => runRemoveNotes(db, show, emailOrId)));
  addModerationCommands(program, run);
  program
    .command("move-reviews")
    .description(
      "moves the reviews of a show to another, which is the same show under another id; can be undone",
    )
    .argument("<from show id>")
    .argument("<to show id>")
    .action((from: string, to: string) => run((db) => runMoveReviews(db, from, to)));
  program
    .command("undo-move")
    .description("moves reviews back that move-reviews moved, except those that their authors replaced since")
    .argument("<move id>", "what move-reviews printed: the id of its row in the table audit")
    .action((id: string) => run((db) => runUndoMove(db, id)));
  program
    .command("ban-user")
    .description(
      "ends all sessions of a user and refuses further sign-ins; their reviews stay unless removed too",
    )
    .argument(user)
    .option("--remove-reviews", "removes their reviews")
    .action((emailOrId: string, { removeReviews = false }: { removeReviews?: boolean }) =>
      run((db) => runBanUser(db, emailOrId, removeReviews)),
    );
  program
    .command("unban-user")
    .description("lets a banned user sign in again")
    .argument(user)
    .action((emailOrId: string) => run((db) => runUnbanUser(db, emailOrId)));
  program
    .command("delete-user")
    .description("deletes a user with their identities, sessions and reviews; the tallies follow")
    .argument(user)
    .action((emailOrId: string) => run((db) => runDeleteUser(db, emailOrId)));
  program
    .command("export-user")
    .description("writes everything that is stored of one person, as JSON, for that person")
    .argument(user)
    .action((emailOrId: string) => run((db) => exportUser(db, emailOrId)));
  program
    .command("export")
    .description("writes all users and reviews to a new file, as JSON Lines; it holds e-mails: keep it safe")
    .argument("<file>")
    .action((file: string) => run((db) => exportAccounts(db, file)));
  program
    .command("import")
    .description(
      "imports an export file: all of it, or nothing if any line is invalid or differs from the database",
    )
    .argument("<file>")
    .action((file: string) => run((db) => importAccounts(db, file), false));
  return program.addHelpText(
    "after",
    `
The file - is standard output or input: npm run --silent admin -- export - | gzip > reviews.jsonl.gz
Every change is recorded in the table audit.`,
  );
}
