/**
 * A process that opens the embedded database as the app does (or with `join` as a tool does), for tests that kill it:
 * `node postgres-app.ts <data folder> [own|join]`. It prints `{ url }` or `{ error }`, a line of JSON. On Ctrl-C it asks
 * the database something and prints `{ answer }`. It closes in good order then, or when its standard input ends.
 */
import { once } from "node:events";
import { pino } from "pino";
import { DatabaseStartError } from "../../src/database/database-start-error.server.ts";
import { type Database, openDatabase } from "../../src/database/open.server.ts";

const [dataDir = "", sharing] = process.argv.slice(2);
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));

function print(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function untilTold(database: Database): Promise<void> {
  const interrupted = once(process, "SIGINT").then(async () => {
    const { rows } = await database.pool.query("select 'here' as answer, pg_sleep(0.2)");
    print({ answer: rows[0]?.answer });
  });
  await Promise.race([interrupted, once(process.stdin.resume(), "end")]);
  process.stdin.destroy();
}

try {
  const database = await openDatabase({
    databaseUrl: undefined,
    dataDir,
    log,
    sharing: sharing === "join" ? "join" : "own",
  });
  const told = untilTold(database); // whoever reads the line may tell it at once
  print({ url: database.url });
  await told;
  await database.close();
} catch (error) {
  if (!(error instanceof DatabaseStartError)) throw error;
  print({ error: error.message });
  process.exitCode = 1;
}
