import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runCommand } from "../../src/cli/commands.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { captureOutput } from "./command-output.ts";
import { bareEnvironment } from "./environment.ts";

/** Starts in half of the time that its sources take. */
const builtAdmin = fileURLToPath(new URL("../../build/server/admin.js", import.meta.url));

/** In the test's process. Commands that pipe to standard output need `runAdminProcess`. */
export function runAdmin(
  { db, pool, directUrl }: Pick<Database, "db" | "pool" | "directUrl">,
  args: readonly string[],
  variables: Record<string, string> = {},
) {
  const config = parseConfig(variables);
  return captureOutput(() => runCommand(args, (task) => task({ db, pool, directUrl, config })));
}

export async function runAdminProcess(
  database: Pick<Database, "url">,
  args: readonly string[],
  input = "",
  variables: Record<string, string> = {},
): Promise<{ exit: number | null; out: string; err: string }> {
  const env = { ...bareEnvironment(), DATABASE_URL: database.url, ...variables };
  const options = { env, maxBuffer: Number.POSITIVE_INFINITY };
  const running = promisify(execFile)(process.execPath, [builtAdmin, ...args], options);
  running.child.stdin?.on("error", () => {}); // a command may refuse its input before it has read all
  running.child.stdin?.end(input);
  const { code: exit = 0, stdout: out, stderr: err } = await running.catch((error) => error);
  return { exit, out, err };
}
