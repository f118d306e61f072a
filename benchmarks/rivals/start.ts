import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Load, Target } from "../load.ts";

/** A response of the product, byte for byte. Headers are names and values in turn. */
export interface RecordedResponse {
  headers: string[];
  body: Uint8Array;
}

const address = z.tuple([z.object({ port: z.int() })]).rest(z.unknown());

/** Starts a file of this folder as a process of its own, which ends with the stack. */
export async function startRival(
  name: "bare" | "good-sql" | "specification" | "empty",
  databaseUrl: string,
  running: AsyncDisposableStack,
): Promise<Target & { child: ChildProcess }> {
  const path = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, NODE_ENV: "production" };
  const child = fork(path, [databaseUrl], { serialization: "advanced", env });
  running.defer(() => child.disconnect());
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`${name} has ended`)));
  failed.catch(() => {});
  const [{ port }] = address.parse(await Promise.race([once(child, "message"), failed]));
  return { child, origin: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 };
}

/** Records this many responses of the product, and starts a rival that serves them. */
export async function recordFor(rival: { child: ChildProcess }, origin: string, load: Load, count: number) {
  const responses: RecordedResponse[] = [];
  for (let index = 0; index < count; index++)
    responses.push(await record(origin + load.nextPath(), load.headers));
  rival.child.send(responses);
  await once(rival.child, "message");
}

const writtenByServer = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

export async function record(url: string, headers: Record<string, string>): Promise<RecordedResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers }, resolve).on("error", reject).end();
  });
  if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}`);
  const kept = response.rawHeaders.filter((_, index, raw) => {
    return !writtenByServer.has((raw[index - (index % 2)] ?? "").toLowerCase());
  });
  return { headers: kept, body: await buffer(response) };
}
