import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../src/cli/commands.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { captureOutput } from "./command-output.ts";
import { bareEnvironment } from "./environment.ts";

/** Starts in half of the time that its sources take. */
const builtAdmin = fileURLToPath(new URL("../../build/server/admin.js", import.meta.url));

/** In the test's process. Commands that use standard streams or show progress need `runAdminProcess`. */
export function runAdmin(
  { db, pool }: Pick<Database, "db" | "pool">,
  args: readonly string[],
  variables: Record<string, string> = {},
) {
  const config = parseConfig(variables);
  return captureOutput(() => runCommand(args, (task) => task({ db, pool, config })));
}

export async function runAdminProcess(
  database: Pick<Database, "url">,
  args: readonly string[],
  input = "",
  variables: Record<string, string> = {},
) {
  const child = spawn(process.execPath, [builtAdmin, ...args], {
    env: { ...bareEnvironment(), DATABASE_URL: database.url, ...variables },
  });
  child.stdin.on("error", () => {}); // a command may refuse its input before it has read all
  child.stdin.end(input);
  const [out, err, [exit]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, "close"),
  ]);
  return { exit, out, err };
}
