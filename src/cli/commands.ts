import { Argument, Command, CommanderError, InvalidArgumentError } from "commander";
import pg from "pg";
import { z } from "zod";
import { ConfigError } from "../config/config-error.server.ts";
import { DatabaseStartError } from "../database/database-start-error.server.ts";
import { DeadlineExceededError } from "../database/query/transaction-before.server.ts";
import { decisionActions } from "../moderation/store/decisions.server.ts";
import { exportAccounts } from "./backup/export.ts";
import { importAccounts } from "./backup/import.ts";
import { CommandError, type Db } from "./command.ts";
import { printError } from "./console.ts";
import { decide, undo } from "./moderation/decide.ts";
import { quarantine, unquarantine } from "./moderation/quarantine.ts";
import { reports } from "./moderation/reports.ts";
import { suspicious } from "./moderation/suspicious.ts";
import { closeForReviews, openForReviews, removeSelectedReviews } from "./reviews/bulk-moderation.ts";
import { listReviews, newestNotes, searchNotes } from "./reviews/list-reviews.ts";
import { moveReviewsOfShow, undoMoveOfReviews } from "./reviews/move-reviews.ts";
import { removeNotesOfUser, removeReviewOfUser } from "./reviews/remove-review.ts";
import { StoppedError } from "./stop-signals.ts";
import { ban, deleteAccount, exportUser, unban } from "./users.ts";

/** Runs a command and prints its result. @throws CommandError, StoppedError */
export type Task = (db: Db) => Promise<void>;

/** Runs the task of a command. Few commands are of use where there is no database yet, and create one. */
type RunTask = (task: Task, mustExist: boolean) => Promise<void>;

/** Makes the action of a command: it gets the database, then what commander has parsed. */
type Action = <Parsed extends unknown[]>(
  command: (db: Db, ...parsed: Parsed) => Promise<void>,
  mustExist?: boolean,
) => (...parsed: Parsed) => Promise<void>;

const showId = "<show id>";
const user = "<e-mail or id>";

/**
 * Runs the command that the arguments name, and prints its result or an error of one line.
 * @returns the exit code: 1 if the command fails, 2 if the arguments are wrong
 */
export async function runCommand(args: readonly string[], run: RunTask): Promise<number> {
  try {
    await createProgram(run).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof StoppedError) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printError(describeError(error));
    return 1;
  }
}

/** PostgreSQL's codes for a cancelled statement and for a lock timeout. */
const timeoutCodes = new Set(["57014", "55P03"]);

/** The message of an expected error, as one line for the operator. @throws any other error, which is a bug */
function describeError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseStartError || error instanceof CommandError)
    return error.message;
  const timedOut = error instanceof pg.DatabaseError && timeoutCodes.has(error.code ?? "");
  if (timedOut || error instanceof DeadlineExceededError)
    return `The database did not do it (${error.message}): nothing was changed.`;
  throw error;
}

/**
 * The operator's commands. Parsing calls `run` with the task of the given command.
 * Throws a CommanderError for invalid arguments and for --help, after printing the error or the help.
 */
export function createProgram(run: RunTask): Command {
  const action: Action =
    (command, mustExist = true) =>
    (...parsed) =>
      run((db) => command(db, ...parsed), mustExist);
  const program = new Command("npm run admin --").exitOverride().showHelpAfterError().helpCommand(false);
  addReviewCommands(program, action);
  addReportCommands(program, action);
  addFloodCommands(program, action);
  addMoveCommands(program, action);
  addUserCommands(program, action);
  addBackupCommands(program, action);
  return program.addHelpText(
    "after",
    `
The file - is standard output or input: npm run --silent admin -- export - | gzip > reviews.jsonl.gz
Every change is recorded in the table audit.`,
  );
}

function addReviewCommands(program: Command, action: Action): void {
  program
    .command("list-reviews")
    .description(
      "lists the reviews of a show, or by a user, newest first, one a line; at least one is needed",
    )
    .option(`--show ${showId}`, "of this show")
    .option(`--user ${user}`, "by this user")
    .hook("preAction", (command) => requireOption(command, "name a --show or a --user"))
    .action(action(listReviews));
  program
    .command("remove-review")
    .description("removes the user's review of the show; the tallies follow")
    .argument(showId)
    .argument(user)
    .action(action(removeReviewOfUser));
  program
    .command("remove-notes")
    .description("removes the notes of the user's review of the show; the answer stays")
    .argument(showId)
    .argument(user)
    .action(action(removeNotesOfUser));
}

/** docs/product.md §13.10 to §13.13. */
function addReportCommands(program: Command, action: Action): void {
  program
    .command("reports")
    .description("lists the reports that wait for a decision, gravest rule first, or shows one of them")
    .argument("[report id]")
    .option("--json", "as JSON, with all that is known of each")
    .action(action(reports));
  program
    .command("decide")
    .description("decides on a report; without arguments on all that wait, with one key each")
    .argument("[report id]")
    .addArgument(new Argument("[decision]").choices(decisionActions))
    .option("--reason <text>", "why, for your own records")
    .hook("preAction", (command) => {
      if (command.args.length === 1) command.error("error: name a decision after the report");
    })
    .action(action(decide));
  program
    .command("undo")
    .description("takes a decision back: restores what was before, and puts the report back into the queue")
    .argument("<decision id>", "what decide printed")
    .action(action(undo));
  program
    .command("newest-notes")
    .description("lists the newest notes, one a line")
    .option("--count <number>", "how many", parseCount, 20)
    .action(action(newestNotes));
  program
    .command("search-notes")
    .description("lists notes with this text, newest first, without regard to case and accents")
    .argument("<text>")
    .action(action(searchNotes));
}

/** Against floods and made accounts: docs/product.md §13.16, §13.31 to §13.33. */
function addFloodCommands(program: Command, action: Action): void {
  program
    .command("remove-reviews")
    .description(
      "removes the reviews that fulfil all options, of which at least one is needed; cannot be undone",
    )
    .option("--show <show id>", "of this show")
    .option("--user <e-mail or id>", "by this user")
    .option("--since <time>", "first sent then or later: 2025-08-02 or 2025-08-02T19:30Z", parseTime)
    .option("--dry-run", "only counts them")
    .hook("preAction", (command) => requireOption(command, "name a --show, a --user or a time --since"))
    .action(action(removeSelectedReviews));
  program
    .command("close-reviews")
    .description("lets nobody write reviews for now; deleting one's own stays possible")
    .option("--show <show id>", "of this show alone")
    .action(action(closeForReviews, false));
  program
    .command("open-reviews")
    .description("takes close-reviews back")
    .option("--show <show id>", "that of this show")
    .action(action(openForReviews));
  program
    .command("suspicious")
    .description("lists groups of accounts that one person or company may be behind, and why")
    .option("--since <time>", "that have written since: 2025-08-02 or 2025-08-02T19:30Z", parseTime)
    .option("--json", "as JSON")
    .action(action(suspicious));
  program
    .command("quarantine")
    .description(
      "takes users' reviews out of tallies, order and notes, later ones too; without users lists who is in it",
    )
    .argument("[e-mail or id...]")
    .action(action(quarantine));
  program
    .command("unquarantine")
    .description("brings the reviews of a user in quarantine back")
    .argument(user)
    .action(action(unquarantine));
}

function addMoveCommands(program: Command, action: Action): void {
  program
    .command("move-reviews")
    .description(
      "moves the reviews of a show to another, which is the same show under another id; can be undone",
    )
    .argument("<from show id>")
    .argument("<to show id>")
    .action(action(moveReviewsOfShow));
  program
    .command("undo-move")
    .description("moves reviews back that move-reviews moved, except those that their authors replaced since")
    .argument("<move id>", "what move-reviews printed: the id of its row in the table audit")
    .action(action(undoMoveOfReviews));
}

function addUserCommands(program: Command, action: Action): void {
  program
    .command("ban-user")
    .description(
      "ends all sessions of a user and refuses further sign-ins; their reviews stay unless removed too",
    )
    .argument(user)
    .option("--remove-reviews", "removes their reviews")
    .action(action(ban));
  program
    .command("unban-user")
    .description("lets a banned user sign in again")
    .argument(user)
    .action(action(unban));
  program
    .command("delete-user")
    .description("deletes a user with their identities, sessions and reviews; the tallies follow")
    .argument(user)
    .action(action(deleteAccount));
  program
    .command("export-user")
    .description("writes everything that is stored of one person, as JSON, for that person")
    .argument(user)
    .action(action(exportUser));
}

function addBackupCommands(program: Command, action: Action): void {
  program
    .command("export")
    .description("writes all users and reviews to a new file, as JSON Lines; it holds e-mails: keep it safe")
    .argument("<file>")
    .action(action(exportAccounts));
  program
    .command("import")
    .description(
      "imports an export file: all of it, or nothing if any line is invalid or differs from the database",
    )
    .argument("<file>")
    .action(action(importAccounts, false));
}

/** Ends with a usage error unless an option that selects reviews is given. */
function requireOption(command: Command, problem: string): void {
  const { show, user, since } = command.opts();
  if (show === undefined && user === undefined && since === undefined) command.error(`error: ${problem}`);
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
