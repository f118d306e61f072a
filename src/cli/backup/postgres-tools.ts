import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connectionConfig } from "../../database/connection/database-url.server.ts";
import { codeOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { escapeControls } from "../console.ts";

/** `bin` is the folder of PG_BIN; without one, the PATH has the programs. */
export interface ToolOptions {
  bin: string | undefined;
  signal?: AbortSignal;
  env?: NodeJS.Dict<string>;
}

/** `ended` rejects with the program's first complaint and its detail, such as the versions of `pg_dump` and server. */
export function startTool(
  name: "pg_dump" | "pg_restore",
  args: readonly string[],
  { bin = "", signal, env }: ToolOptions,
) {
  // The shell's variables for another database would override ours.
  const inherited = Object.entries(process.env).filter(([key]) => !/^PG(?!SSLMODE$)|^LC_/.test(key));
  const all = { ...Object.fromEntries(inherited), LC_ALL: "C", ...env };
  const child = spawn(join(bin, name), args, { env: all, ...(signal && { signal }) });
  const complaints = text(child.stderr);
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  child.on("close", async (code) => {
    const lines = (await complaints).split("\n").filter((line) => /^\S/.test(line));
    const said = escapeControls(lines.slice(0, 2).join("; ") || `${name} ended with ${code}`);
    if (code === 0) resolve();
    else reject(new OperatorError(`${said.replace(/\.$/, "")}.`));
  });
  child.on("error", (error) => {
    const missing = `There is no ${name}: install PostgreSQL's client programs, or set PG_BIN to their folder.`;
    reject(codeOf(error) === "ENOENT" ? new OperatorError(missing) : error);
  });
  ended.catch(() => {}); // its output is read first
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

/** Other users of the machine can read arguments, so the password is not among them. */
export function connectTo(url: string): { arg: string; env: NodeJS.Dict<string> } {
  const { password } = connectionConfig(url);
  const bare = url.replace(/^(\w+:\/\/[^/?#:@]*):[^/?#@]*@/, "$1@").replace(/([?&])password=[^&]*&?/, "$1");
  return {
    arg: `--dbname=${bare}`,
    env: typeof password === "string" && password ? { PGPASSWORD: password } : {},
  };
}
