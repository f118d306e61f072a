import { Argument, type Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import { type DecisionAction, decisionActions } from "../../moderation/store/decisions.server.ts";
import { runCloseReviews, runOpenReviews, runRemoveReviews } from "./bulk-moderation.ts";
import type { RunTask } from "./command.ts";
import { runDecide, runDecideQueue, runUndo } from "./decide.ts";
import { runQuarantine, runUnquarantine } from "./quarantine.ts";
import { runReports } from "./reports.ts";
import { listNewestNotes, searchNotes } from "./reviews.ts";
import { runSuspicious } from "./suspicious.ts";

/** Adds the commands of moderation to the operator's commands (docs/product.md §13). */
export function addModerationCommands(program: Command, run: RunTask): void {
  program
    .command("reports")
    .description("lists the reports that wait for a decision, gravest rule first, or shows one of them")
    .argument("[report id]")
    .option("--json", "as JSON, with all that is known of each")
    .action((id: string | undefined, { json = false }: { json?: boolean }) =>
      run((db) => runReports(db, id, json)),
    );
  program
    .command("decide")
    .description("decides on a report; without arguments on all that wait, with one key each")
    .argument("[report id]")
    .addArgument(new Argument("[decision]").choices(decisionActions))
    .option("--reason <text>", "why, for your own records")
    .action(
      (
        id: string | undefined,
        action: DecisionAction | undefined,
        { reason }: { reason?: string },
        command: Command,
      ) => {
        if (id === undefined) return run((db) => runDecideQueue(db));
        if (action === undefined) return command.error("error: name a decision after the report");
        return run((db) => runDecide(db, id, action, reason?.trim() || null));
      },
    );
  program
    .command("undo")
    .description("takes a decision back: restores what was before, and puts the report back into the queue")
    .argument("<decision id>", "what decide printed")
    .action((id: string) => run((db) => runUndo(db, id)));
  program
    .command("newest-notes")
    .description("lists the newest notes, one a line")
    .option("--count <number>", "how many", parseCount, 20)
    .action(({ count }: { count: number }) => run((db) => listNewestNotes(db, count)));
  program
    .command("search-notes")
    .description("lists notes with this text, newest first, without regard to case and accents")
    .argument("<text>")
    .action((text: string) => run((db) => searchNotes(db, text)));
  program
    .command("remove-reviews")
    .description(
      "removes the reviews that fulfil all options, of which at least one is needed; cannot be undone",
    )
    .option("--show <show id>", "of this show")
    .option("--user <e-mail or id>", "by this user")
    .option("--since <time>", "first sent then or later: 2025-08-02 or 2025-08-02T19:30Z", parseTime)
    .option("--dry-run", "only counts them")
    .action((options: { show?: string; user?: string; since?: Date; dryRun?: boolean }, command: Command) => {
      if (options.show === undefined && options.user === undefined && options.since === undefined)
        command.error("error: name a --show, a --user or a time --since");
      return run((db) => runRemoveReviews(db, options));
    });
  program
    .command("close-reviews")
    .description("lets nobody write reviews for now; deleting one's own stays possible")
    .option("--show <show id>", "of this show alone")
    .action((options: { show?: string }) => run((db) => runCloseReviews(db, options), false));
  program
    .command("open-reviews")
    .description("takes close-reviews back")
    .option("--show <show id>", "that of this show")
    .action((options: { show?: string }) => run((db) => runOpenReviews(db, options)));
  program
    .command("suspicious")
    .description("lists groups of accounts that one person or company may be behind, and why")
    .option("--since <time>", "that have written since: 2025-08-02 or 2025-08-02T19:30Z", parseTime)
    .option("--json", "as JSON")
    .action(({ since, json = false }: { since?: Date; json?: boolean }) =>
      run((db) => runSuspicious(db, since, json)),
    );
  program
    .command("quarantine")
    .description(
      "takes users' reviews out of tallies, order and notes, later ones too; without users lists who is in it",
    )
    .argument("[e-mail or id...]")
    .action((emailsOrIds: string[]) => run((db) => runQuarantine(db, emailsOrIds)));
  program
    .command("unquarantine")
    .description("brings the reviews of a user in quarantine back")
    .argument("<e-mail or id>")
    .action((emailOrId: string) => run((db) => runUnquarantine(db, emailOrId)));
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be a number from 1.");
  return Number(text);
}

/** Days, in UTC, and times as commands print them: to the minute, the second, or any part of it. */
const printedTime = z.union([z.iso.date(), z.iso.datetime({ precision: -1 }), z.iso.datetime()]);

function parseTime(text: string): Date {
  if (!printedTime.safeParse(text).success)
    throw new InvalidArgumentError(
      "It must be like 2025-08-02, 2025-08-02T19:30Z or 2025-08-02T19:30:15.250Z.",
    );
  return new Date(text);
}
