import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { RecordedAnswer } from "../load/recorded-answer.ts";
import type { Target } from "../load/target.ts";

/** A server that knows nothing but the answers it is given. */
export interface RecordedServer extends Target {
  /** From now on it sends these, in turn. */
  answerWith(answers: RecordedAnswer[]): Promise<void>;
}

/** The least that a Node server can do: the limit. It ends with the stack, as do the others. */
export function startBareServer(running: AsyncDisposableStack): Promise<RecordedServer> {
  return startRecorded(new URL("bare-server.ts", import.meta.url), running);
}

export function startHonoText(running: AsyncDisposableStack): Promise<RecordedServer> {
  return startRecorded(new URL("hono-text.ts", import.meta.url), running);
}

export function startGoodSql(databaseUrl: string, running: AsyncDisposableStack): Promise<Target> {
  return startOnDatabase(new URL("good-sql.ts", import.meta.url), databaseUrl, running);
}

export function startSnapshot(databaseUrl: string, running: AsyncDisposableStack): Promise<Target> {
  return startOnDatabase(new URL("snapshot.ts", import.meta.url), databaseUrl, running);
}

export function startSpecification(databaseUrl: string, running: AsyncDisposableStack): Promise<Target> {
  return startOnDatabase(new URL("specification.ts", import.meta.url), databaseUrl, running);
}

async function startRecorded(script: URL, running: AsyncDisposableStack): Promise<RecordedServer> {
  const { child, target } = await start(script, [], running);
  return {
    ...target,
    async answerWith(answers) {
      child.send(answers);
      await once(child, "message");
    },
  };
}

async function startOnDatabase(script: URL, databaseUrl: string, running: AsyncDisposableStack): Promise<Target> {
  return (await start(script, [databaseUrl], running)).target;
}

const address = z.tuple([z.object({ port: z.int() })]).rest(z.unknown());

async function start(
  script: URL,
  args: string[],
  running: AsyncDisposableStack,
): Promise<{ child: ChildProcess; target: Target }> {
  const path = fileURLToPath(script);
  const child = fork(path, args, {
    serialization: "advanced",
    env: { PATH: process.env.PATH, NODE_ENV: "production" },
  });
  running.defer(() => child.disconnect());
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`${path} has ended before it listened`)));
  const [{ port }] = address.parse(await Promise.race([once(child, "message"), failed]));
  failed.catch(() => {});
  return { child, target: { origin: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 } };
}
