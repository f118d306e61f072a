import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connectionConfig } from "../../database/connection/database-url.server.ts";
import { codeOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { escapeControls } from "../console.ts";
import { showProgress } from "../progress-bar.ts";

/** `bin` is the folder of PG_BIN; without one, the PATH has the programs. */
export interface ToolOptions {
  bin: string | undefined;
  signal?: AbortSignal;
  env?: NodeJS.Dict<string>;
}

/** `ended` rejects with the program's first complaint. */
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
    const [first = `${name} ended with ${code}`] = (await complaints).split("\n").filter(Boolean);
    if (code === 0) resolve();
    else reject(new OperatorError(`${escapeControls(first).replace(/\.$/, "")}.`));
  });
  child.on("error", (error) => {
    const missing = `There is no ${name}: install PostgreSQL's client programs, or set PG_BIN to their folder.`;
    reject(codeOf(error) === "ENOENT" ? new OperatorError(missing) : error);
  });
  ended.catch(() => {}); // its output is read first
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

/** @throws OperatorError if `pg_dump` is missing, or older than the server: then it would refuse */
export async function requireDump(bin: string | undefined, serverVersion: string): Promise<void> {
  const { stdout, ended } = startTool("pg_dump", ["--version"], { bin });
  const [output] = await Promise.all([text(stdout), ended]);
  const [own, server] = [/ (\d+)/.exec(output)?.[1], /^\d+/.exec(serverVersion)?.[0]];
  if (Number(own) < Number(server))
    throw new OperatorError(
      `pg_dump is of PostgreSQL ${own}, and the server of ${server}: install the client programs of ${server}, or set PG_BIN to their folder.`,
    );
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

/** Shows how many of the bytes were read; null: their number is unknown. */
export const watchBytes = (doing: string, total: number | null) =>
  async function* (chunks: AsyncIterable<Buffer>) {
    const { update, stop } = showProgress(doing, "KB");
    const inKilobytes = (bytes: number) => Math.ceil(bytes / 1_000);
    let bytes = 0;
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        update({ seen: inKilobytes(bytes), total: total && inKilobytes(total) });
        yield chunk;
      }
    } finally {
      stop();
    }
  };
