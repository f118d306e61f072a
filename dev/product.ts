import pretty from "pino-pretty";
import { parseConfig, readEnvironment } from "../src/config.server.ts";
import { listenHttp } from "../src/http/listen.server.ts";
import { createLog } from "../src/log.server.ts";
import type { WaitingServer } from "./server-process.ts";
import { makeWorld } from "./world.ts";

/** Makes the world and runs the server in it until it is told to stop or the server ends; resolves with the exit code. */
export async function runProduct(waiting: WaitingServer, signal: AbortSignal): Promise<number> {
  const config = parseConfig(readEnvironment());
  const output = pretty({ ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss", singleLine: true });
  // A taken port is found out before anything is made.
  await (await listenHttp(config.host, config.port)).close(0);
  await using world = await makeWorld(config, createLog(config.logLevel, output), signal);
  if (signal.aborted) return 0;

  console.log("Starting the server …");
  await using server = waiting.begin(world.variables, output);
  const told = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await Promise.race([server.ready, server.ended, told]);
  if (!server.hasEnded() && !signal.aborted) console.log(`\nFront Row is open at ${config.origin} (Ctrl-C stops it)`);
  await Promise.race([server.ended, told]);
  console.log(signal.aborted ? "Stopping …" : "The server has ended: its last words are above.");
  return signal.aborted ? 0 : 1;
}
