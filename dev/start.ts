/*
 * `npm start`: the product to try. It makes a world for the server to live in (database, stand-ins where there are no
 * credentials, a programme), and runs the server in it as production does, in a process of its own.
 */
import pretty from "pino-pretty";
import { parseConfig, readEnvironment } from "../src/config.server.ts";
import { listenHttp } from "../src/http/listen.server.ts";
import { createLog } from "../src/log.server.ts";
import { runUntilTold } from "./run.ts";
import { startServer } from "./server-process.ts";
import { makeWorld } from "./world.ts";

/** Runs until it is told to stop or the server ends; resolves with the exit code. */
async function start(signal: AbortSignal): Promise<number> {
  const config = parseConfig(readEnvironment());
  const output = pretty({ ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss", singleLine: true });
  // A taken port is found out before anything is started.
  await (await listenHttp(config.host, config.port)).close(0);
  await using world = await makeWorld(config, createLog(config.logLevel, output), signal);
  if (signal.aborted) return 0;

  console.log("Starting the server …");
  await using server = startServer(world.variables, output);
  const told = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await Promise.race([server.ready, server.ended, told]);
  if (!server.hasEnded() && !signal.aborted) console.log(`\nFront Row is open at ${config.origin} (Ctrl-C stops it)`);
  await Promise.race([server.ended, told]);
  console.log(signal.aborted ? "Stopping …" : "The server has ended: its last words are above.");
  return signal.aborted ? 0 : 1;
}

await runUntilTold(start);
