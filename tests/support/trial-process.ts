/**
 * `node trial-process.ts <data folder> [own|join]` is a process that tests can kill. It opens the trial database, like the
 * site or like a command, and prints `{ url }` or `{ error }` as a line of JSON, also of a later error. On SIGINT, it runs a
 * query and prints `{ result }`. It closes gracefully after that, or at the end of its input.
 */
import { once } from "node:events";
import { pino } from "pino";
import { type Database, openDatabase } from "../../src/database/open.server.ts";
import { OperatorError } from "../../src/lib/operator-error.ts";

const [dataDir = "", how] = process.argv.slice(2);
const sharing = how === "join" ? how : "own";
const log = pino({ level: "error" }, { write: (line: string) => print({ error: JSON.parse(line).msg }) });

function print(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function waitUntilStopped(database: Database): Promise<void> {
  const interrupted = once(process, "SIGINT").then(async () => {
    const { rows } = await database.pool.query("select 'here' as result, pg_sleep(0.2)");
    print({ result: rows[0]?.result });
  });
  await Promise.race([interrupted, once(process.stdin.resume(), "end")]);
  process.stdin.destroy();
}

try {
  const database = await openDatabase({ databaseUrl: undefined, dataDir, log, sharing });
  const stopped = waitUntilStopped(database); // the reader of the line may stop it at once
  print({ url: database.url });
  await stopped;
  await database.close();
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  print({ error: error.message });
  process.exitCode = 1;
}
