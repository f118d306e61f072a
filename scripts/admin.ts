// npm run admin: what the site's operator does by hand, with or without a running server.
import { parseArgs } from "node:util";
import { pino } from "pino";
import { deleteUser, findUsers } from "../src/auth/users.server.ts";
import { ConfigError, parseConfig, readEnvironment } from "../src/config.server.ts";
import { type Database, openDatabase } from "../src/database/open.server.ts";
import { DatabaseStartError } from "../src/database/start-error.server.ts";

const usage = `Usage: npm run admin -- <command>

  delete-user <e-mail or id>  deletes a user with their identities, sessions and reviews; the tallies follow
  --help                      this text`;

type Db = Database["db"];

/** What a command takes, and what it does: it prints that, and resolves with the exit code. */
interface Command {
  parameters: number;
  run: (db: Db, ...values: string[]) => Promise<number>;
}

const commands = new Map<string, Command>([["delete-user", { parameters: 1, run: removeUser }]]);

/** Written at once, so that the process may end right after it. */
const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));

/** Does what the arguments say; resolves with the exit code. */
async function main(args: string[]): Promise<number> {
  const asked = readArguments(args);
  if (asked?.help) {
    print(usage);
    return 0;
  }
  const [name = "", ...values] = asked?.values ?? [];
  const command = commands.get(name);
  if (command?.parameters !== values.length) {
    complain(usage);
    return 2;
  }
  try {
    return await withDatabase((db) => command.run(db, ...values));
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DatabaseStartError)) throw error;
    complain(error.message);
    return 1;
  }
}

function readArguments(args: string[]): { help: boolean; values: string[] } | null {
  try {
    const options = { help: { type: "boolean", short: "h", default: false } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { help: values.help, values: positionals };
  } catch {
    return null;
  }
}

async function withDatabase(work: (db: Db) => Promise<number>): Promise<number> {
  const config = parseConfig(readEnvironment());
  const { db, close } = await openDatabase({ ...config, log: pino({ level: "silent" }), sharing: "join" });
  try {
    return await work(db);
  } finally {
    await close();
  }
}

async function removeUser(db: Db, emailOrId = ""): Promise<number> {
  const [user, ...others] = await findUsers(db, emailOrId);
  if (!user) {
    complain(`There is no user ${emailOrId}.`);
    return 1;
  }
  if (others.length > 0) {
    const ids = [user, ...others].map(({ id }) => id);
    complain(`${ids.length} users have the e-mail ${emailOrId}: name one by its id (${ids.join(", ")}).`);
    return 1;
  }
  const deleted = await deleteUser(db, user.id);
  if (!deleted) {
    complain(`The user ${emailOrId} is gone already.`);
    return 1;
  }
  const { identities, sessions, reviews } = deleted;
  print(
    `Deleted ${user.email} (${user.id}): ${count(identities, "identity", "identities")}, ${count(sessions, "session")}, ` +
      `${count(reviews, "review")}.`,
  );
  return 0;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
