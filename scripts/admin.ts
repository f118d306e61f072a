// npm run admin: what the site's operator does by hand, with or without a running server.
import { pino } from "pino";
import { parseConfig, readEnvironment } from "../src/config.server.ts";
import { openDatabase } from "../src/database/open.server.ts";
import { readArguments } from "./admin/arguments.ts";
import type { Db } from "./admin/command.ts";
import { commands } from "./admin/commands.ts";
import { complain, print } from "./admin/console.ts";
import { explain } from "./admin/explain.ts";

const usage = `Usage: npm run admin -- <command>

  list-reviews [--show <show id>] [--user <e-mail or id>]
                              lists the reviews of a show, or by a user, newest first, one a line; at least one is needed
  remove-review <show id> <e-mail or id>
                              removes the user's review of the show; the tallies follow
  remove-notes <show id> <e-mail or id>
                              removes what the user wrote about the show, and keeps the answer
  ban-user <e-mail or id> [--remove-reviews]
                              signs a user out everywhere and lets them in no more; their reviews stay, or go too
  unban-user <e-mail or id>   lets a banned user sign in again
  delete-user <e-mail or id>  deletes a user with their identities, sessions and reviews; the tallies follow
  export-user <e-mail or id>  writes everything that is stored of one person, as JSON, for that person
  export <file>               writes all users and reviews to a new file, as JSON Lines; it holds e-mails: keep it safe
  import <file>               brings in what export wrote: all of it, or nothing where anything is wrong or differs
  --help                      this text

The file - is standard output or input: npm run --silent admin -- export - | gzip > reviews.jsonl.gz
Every change is noted in the table audit.`;

process.exitCode = await main(process.argv.slice(2));

/** Does what the arguments say; resolves with the exit code. */
async function main(args: string[]): Promise<number> {
  const asked = readArguments(args, commands);
  if (asked === "help") {
    print(usage);
    return 0;
  }
  if (asked === null) {
    complain(usage);
    return 2;
  }
  try {
    return await withDatabase((db) => asked.command.run(db, asked));
  } catch (error) {
    complain(explain(error));
    return 1;
  }
}

async function withDatabase(work: (db: Db) => Promise<number>): Promise<number> {
  const config = parseConfig(readEnvironment());
  const { db, close } = await openDatabase({
    ...config,
    log: pino({ level: "silent" }),
    sharing: "join",
    answerWithin: 0, // an export or import takes as long as it takes, and whoever started it can stop it
  });
  try {
    return await work(db);
  } finally {
    await close();
  }
}
