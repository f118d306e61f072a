import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Kysely, sql } from "kysely";
import { runCommand } from "../../src/cli/commands.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { captureOutput } from "./command-output.ts";
import { bareEnvironment } from "./environment.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs an `admin` command on a database, in the test's own process. Commands that read or write standard
 * streams, and those that show progress, need `runAdminProcess`.
 */
export function runAdmin({ db }: Pick<Database, "db">, args: readonly string[]) {
  return captureOutput(() => runCommand(args, (task) => task(db)));
}

/**
 * Runs an `admin` command on a database as the operator does, in a process of its own.
 * @param input its standard input
 * @param variables more settings
 */
export async function runAdminProcess(
  database: Pick<Database, "url">,
  args: readonly string[],
  input = "",
  variables: Record<string, string> = {},
) {
  const child = spawn(process.execPath, ["src/cli/admin.ts", ...args], {
    cwd: root,
    env: { ...bareEnvironment(), DATABASE_URL: database.url, ...variables },
  });
  child.stdin.on("error", () => {}); // a command that refuses its input ends before it has read all
  child.stdin.end(input);
  const [out, err, [exit]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, "close"),
  ]);
  return { exit, out, err };
}

/** The audit log, oldest entry first. */
export async function auditRows(db: Kysely<Schema>) {
  return db.selectFrom("audit").select(["action", "details"]).orderBy("id").execute();
}

/** The stored tallies, and a recount of the reviews, of all shows that have reviews. */
export async function readTallies(db: Kysely<Schema>) {
  const tallies = await sql`
    select show_id, no, very_little, yes, latest_at from tallies where no + very_little + yes > 0 order by show_id`.execute(
    db,
  );
  const recounted = await sql`
    select show_id, count(*) filter (where audience_interaction = 'no')::integer as no,
      count(*) filter (where audience_interaction = 'very_little')::integer as very_little,
      count(*) filter (where audience_interaction = 'yes')::integer as yes, max(created_at) as latest_at
    from reviews where counted group by show_id order by show_id`.execute(db);
  return { tallies: tallies.rows, recounted: recounted.rows };
}
