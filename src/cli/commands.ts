import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import pg from "pg";
import { z } from "zod";
import { describeOutage } from "../database/errors.server.ts";
import { DeadlineExceededError } from "../database/query/transaction-before.server.ts";
import type { Db } from "../database/schema.server.ts";
import { isBlank } from "../domain/blank.ts";
import { YEAR } from "../domain/programme.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { removingActions } from "../moderation/store/decisions.server.ts";
import { backUp } from "./backup/backup.ts";
import { restore } from "./backup/restore.ts";
import { checkConfig } from "./check-config.ts";
import type { Site } from "./command.ts";
import { escapeControls, printError } from "./console.ts";
import {
  bursts,
  createQueueLink,
  decideReportByHand,
  listQueueLinks,
  quarantine,
  revokeQueueLink,
  undo,
  unquarantine,
} from "./moderate.ts";
import { listFoundNotes, listNewestNotes, listReviews } from "./reviews/list-reviews.ts";
import {
  closeForReviews,
  openForReviews,
  removeByHand,
  removeSelectedReviews,
  unhide,
} from "./reviews/moderate-reviews.ts";
import { moveReviewsOfShow, undoMoveOfReviews } from "./reviews/move-reviews.ts";
import { printStatus } from "./status/status.ts";
import { ban, deleteAccount, exportUser, signOut, unban } from "./users.ts";

export type Action = (site: Site) => Promise<void>;

/** @param mustExist false for commands that may create the database */
type RunAction = (action: Action, mustExist: boolean) => Promise<void>;

const ofShow = new Option("--show <show id>", "of this show");
const byUser = new Option("--user <e-mail or id>", "by this user");

/** Returns the exit code: 1 if the command fails, 2 if the arguments are wrong. */
export async function runCommand(args: readonly string[], run: RunAction): Promise<number> {
  try {
    await createProgram(run).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printError(describeError(error));
    return 1;
  }
}

const timeoutCodes = new Set(["57014", "55P03"]); // query_canceled, lock_not_available

/** @throws an unexpected error, which is a bug */
function describeError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const timedOut = error instanceof pg.DatabaseError && timeoutCodes.has(error.code ?? "");
  if (timedOut || error instanceof DeadlineExceededError)
    return `The database did not do it (${error.message}): nothing was changed.`;
  const outage = describeOutage(error);
  if (outage !== null) return `The database is unavailable: ${outage}`;
  throw error;
}

/** For invalid arguments and --help, parsing prints and throws a CommanderError. */
export function createProgram(run: RunAction): Command {
  const program = new Command("npm run admin --").exitOverride().showHelpAfterError().helpCommand(false);

  function add<Parsed extends unknown[]>(
    signature: string,
    action: (db: Db, ...parsed: Parsed) => Promise<void>,
    mustExist = true,
  ): Command {
    return addForSite(signature, ({ db }, ...parsed: Parsed) => action(db, ...parsed), mustExist);
  }

  function addForSite<Parsed extends unknown[]>(
    signature: string,
    action: (site: Site, ...parsed: Parsed) => Promise<void>,
    mustExist = true,
  ): Command {
    const [name = "", ...args] = signature.split(/ (?=[<[])/);
    const command = program.command(name);
    for (const arg of args) command.argument(arg);
    return command.action((...parsed: Parsed) => run((site) => action(site, ...parsed), mustExist));
  }

  addForSite("status", ({ db, config }, options: { json?: boolean }) => printStatus(db, config, options))
    .description("prints how the site is, and what waits for you, with exit code 1 if something does")
    .option("--json", "as JSON");
  program
    .command("check-config")
    .description("prints all settings as they are read, without secrets, and each bad one")
    .action(() => checkConfig());

  add("list-reviews", listReviews)
    .description(
      "lists the reviews of a show, or by a user, newest first, one a line; at least one is needed",
    )
    .addOption(ofShow)
    .addOption(byUser)
    .hook("preAction", (command) => requireOption(command, "name a --show or a --user"));
  add("remove-review <show id> <e-mail or id>", (db, ...key: [string, string]) =>
    removeByHand(db, "review", ...key),
  ).description("removes the user's review of the show for good; the tallies follow");
  add("remove-notes <show id> <e-mail or id>", (db, ...key: [string, string]) =>
    removeByHand(db, "notes", ...key),
  ).description("removes the notes of the user's review of the show for good; the answer stays");

  // Reports: docs/product.md §13.10 to §13.13.
  add("decide-report <report id>", decideReportByHand)
    .description("removes or bans because of a report; the page of queue-link hides and keeps")
    .addArgument(new Argument("<decision>").choices(removingActions))
    .option("--reason <text>", "why, for your own records")
    .option("--for-good", "with remove-note: deletes the text at once, the default for personal_data")
    .option("--no-for-good", "with remove-note: it can be undone for 30 days")
    .hook("preAction", (command) => {
      if (command.opts().forGood !== undefined && command.args[1] !== "remove-note")
        command.error("error: --for-good needs remove-note");
    });
  add("undo", undo)
    .description("takes a decision back: restores what was before, and puts the report back into the queue")
    .argument("<decision id>", "what decide-report printed; the table audit has them all");
  add("unhide-notes <show id> <e-mail or id>", unhide).description(
    "shows hidden notes whose report is gone: after some time, undo cannot",
  );

  // Links for helpers: docs/product.md §13.22.
  add("queue-link", createQueueLink)
    .description("prints a link to the reports that wait, with which you or a helper hide or keep notes")
    .argument("<name>", "yours or the helper's, for the audit and the list of links", parseHelperName)
    .option("--days <number>", "how long it works", parseNumber(MAX_DAYS), 14);
  add("queue-links", listQueueLinks).description(
    "lists the links of helpers, and those of messages that still work, each with its number",
  );
  add("revoke-queue-link <number>", revokeQueueLink).description("ends a link at once");

  add("newest-notes", listNewestNotes)
    .description("lists the newest notes, one a line")
    .option("--count <number>", "how many", parseNumber(999_999), 20);
  add("search-notes <text>", listFoundNotes).description(
    "lists notes with this text, newest first, without regard to case and accents",
  );

  // Against floods and fake accounts: docs/product.md §13.16, §13.31 to §13.33.
  add("remove-reviews", removeSelectedReviews)
    .description(
      "removes the reviews that fulfil all options, of which at least one is needed; cannot be undone",
    )
    .addOption(ofShow)
    .addOption(byUser)
    .option("--since <time>", `first sent then or later: ${DAY} or ${DAY}T19:30Z`, parseTime)
    .option("--dry-run", "only counts them")
    .hook("preAction", (command) => requireOption(command, "name a --show, a --user or a time --since"));
  add("close-reviews", closeForReviews, false)
    .description("stops new reviews for now; users can still delete their own")
    .option("--show <show id>", "of this show alone");
  add("open-reviews", openForReviews)
    .description("takes close-reviews back")
    .option("--show <show id>", "that of this show");
  add("bursts", bursts)
    .description("lists the accounts of each burst: many young or once-only accounts at one show")
    .option("--since <time>", `of reviews since: ${DAY} or ${DAY}T19:30Z; else of seven days`, parseTime);
  add("quarantine [e-mail or id...]", quarantine).description(
    "takes users' reviews out of tallies, order and notes, later ones too; without users lists who is in it",
  );
  add("unquarantine <e-mail or id>", unquarantine).description(
    "brings the reviews of a user in quarantine back",
  );

  add("move-reviews <from show id> <to show id>", moveReviewsOfShow).description(
    "moves the reviews of a show to another, which is the same show under another id; can be undone",
  );
  add("undo-move", undoMoveOfReviews)
    .description("moves reviews back that move-reviews moved, except those that their authors replaced since")
    .argument("<move id>", "what move-reviews printed: the id of its row in the table audit");

  add("ban-user <e-mail or id>", ban)
    .description(
      "ends all sessions of a user and refuses further sign-ins; their reviews stay unless removed too",
    )
    .option("--remove-reviews", "removes their reviews");
  add("sign-out <e-mail or id>", signOut).description("ends all sessions of a user, who may sign in again");
  add("unban-user <e-mail or id>", unban).description("lets a banned user sign in again");
  add("delete-user <e-mail or id>", deleteAccount).description(
    "deletes a user with their identities, sessions and reviews; the tallies follow",
  );
  add("export-user <e-mail or id>", exportUser).description(
    "writes everything that is stored of one person, as JSON, for that person",
  );
  addForSite("backup <file>", backUp).description(
    "writes the database to a new file with pg_dump, without sessions; it holds e-mails",
  );
  program
    .command("restore <file>")
    .action((file, options) => restore((action) => run(action, false), file, options))
    .description("restores a backup into a site without users: all of it, or nothing")
    .option(
      "--except-users <file>",
      "deletes these again: ids, one a line, or lines of the log with deletions",
    );

  return program.addHelpText("after", "\nEvery change is recorded in the table audit.");
}

function requireOption(command: Command, problem: string): void {
  const { show, user, since } = command.opts();
  if (show === undefined && user === undefined && since === undefined) command.error(`error: ${problem}`);
}

const MAX_NAME = 60; // in characters
const MAX_DAYS = 90;

function parseHelperName(text: string): string {
  const name = text.trim();
  if (isBlank(name) || name.length > MAX_NAME || name !== escapeControls(name))
    throw new InvalidArgumentError(`It must be one line of 1 to ${MAX_NAME} characters.`);
  return name;
}

function parseNumber(max: number) {
  return (text: string): number => {
    const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > max) throw new InvalidArgumentError(`It must be a number from 1 to ${max}.`);
    return number;
  };
}

const DAY = `${YEAR}-08-02`;

/** Days in UTC, and times as commands print them: to the minute, to the second or more exact. */
const printedTime = z.union([z.iso.date(), z.iso.datetime({ precision: -1 }), z.iso.datetime()]);

function parseTime(text: string): Date {
  if (!printedTime.safeParse(text).success)
    throw new InvalidArgumentError(`It must be like ${DAY}, ${DAY}T19:30Z or ${DAY}T19:30:15.250Z.`);
  return new Date(text);
}
