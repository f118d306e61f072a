import { Command } from "commander";
import type { Task } from "./command.ts";
import { exportAccounts } from "./export-command.ts";
import { exportUser } from "./export-user.ts";
import { importAccounts } from "./import-command.ts";
import { listReviews, takeNotes, takeReview } from "./reviews.ts";
import { ban, removeUser, unban } from "./users.ts";

const showId = "<show id>";
const user = "<e-mail or id>";

/**
 * Everything that the operator can do. The program hands `run` the task that its arguments name.
 * It throws a CommanderError instead when they make no sense or ask for help, after having said so.
 */
export function createProgram(run: (task: Task) => Promise<void>): Command {
  const program = new Command("npm run admin --").exitOverride().showHelpAfterError().helpCommand(false);
  program
    .command("list-reviews")
    .description("lists the reviews of a show, or by a user, newest first, one a line; at least one is needed")
    .option(`--show ${showId}`, "of this show")
    .option(`--user ${user}`, "by this user")
    .action((of: { show?: string; user?: string }, command: Command) => {
      if (of.show === undefined && of.user === undefined) command.error("error: name a --show or a --user");
      return run((db) => listReviews(db, of));
    });
  program
    .command("remove-review")
    .description("removes the user's review of the show; the tallies follow")
    .argument(showId)
    .argument(user)
    .action((show: string, who: string) => run((db) => takeReview(db, show, who)));
  program
    .command("remove-notes")
    .description("removes what the user wrote about the show, and keeps the answer")
    .argument(showId)
    .argument(user)
    .action((show: string, who: string) => run((db) => takeNotes(db, show, who)));
  program
    .command("ban-user")
    .description("signs a user out everywhere and lets them in no more; their reviews stay, or go too")
    .argument(user)
    .option("--remove-reviews", "removes their reviews")
    .action((who: string, { removeReviews = false }: { removeReviews?: boolean }) =>
      run((db) => ban(db, who, removeReviews)),
    );
  program
    .command("unban-user")
    .description("lets a banned user sign in again")
    .argument(user)
    .action((who: string) => run((db) => unban(db, who)));
  program
    .command("delete-user")
    .description("deletes a user with their identities, sessions and reviews; the tallies follow")
    .argument(user)
    .action((who: string) => run((db) => removeUser(db, who)));
  program
    .command("export-user")
    .description("writes everything that is stored of one person, as JSON, for that person")
    .argument(user)
    .action((who: string) => run((db) => exportUser(db, who)));
  program
    .command("export")
    .description("writes all users and reviews to a new file, as JSON Lines; it holds e-mails: keep it safe")
    .argument("<file>")
    .action((file: string) => run((db) => exportAccounts(db, file)));
  program
    .command("import")
    .description("brings in what export wrote: all of it, or nothing where anything is wrong or differs")
    .argument("<file>")
    .action((file: string) => run((db) => importAccounts(db, file)));
  return program.addHelpText(
    "after",
    `
The file - is standard output or input: npm run --silent admin -- export - | gzip > reviews.jsonl.gz
Every change is noted in the table audit.`,
  );
}
