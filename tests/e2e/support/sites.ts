import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../dev/harness/free-port.ts";
import { bareEnvironment } from "../../support/environment.ts";
import { givenRefresh } from "../../support/given.ts";
import { createMigratedDatabase, startTestPostgres } from "../../support/postgres-server.ts";
import { operatorSettings, unreachableFestival } from "../../support/site.ts";
import { hasExited, waitUntilReady } from "../../support/wait-until-ready.ts";
import { writeProgramme } from "./programme.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Starts the built server with the small programme. Resolves with its origin and its PostgreSQL server's URL.
 */
export async function startSmallSite(
  running: AsyncDisposableStack,
): Promise<{ origin: string; postgresUrl: string }> {
  const postgres = await startTestPostgres();
  running.defer(postgres.stop);
  const database = await createMigratedDatabase(postgres.url);
  running.defer(database.close);
  await writeProgramme(database.db);
  await givenRefresh(database.db);
  const variables = { DATABASE_URL: database.url, ...operatorSettings, ...unreachableFestival };
  return {
    origin: await startProgram("build/server/main.js", variables, running),
    postgresUrl: postgres.url,
  };
}

/** Starts `npm start` with a new data folder. Resolves with its origin. */
export async function startProduct(running: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "front-row-product-"));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  return startProgram("dev/start.ts", { DATA_DIR: path.join(folder, "data") }, running);
}

/**
 * Runs a program of the project until the stack is disposed, and resolves with its origin when it is ready.
 * It exits when this process is gone. If it exits by itself, disposal throws an error with its output.
 */
async function startProgram(
  file: string,
  variables: Record<string, string>,
  running: AsyncDisposableStack,
): Promise<string> {
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [file], {
    cwd: root,
    env: { ...bareEnvironment(), PORT: port, ORIGIN: origin, ...variables },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const readOutput = captureOutput(child);
  running.defer(async () => {
    if (hasExited(child)) throw new Error(`${file} exited by itself:\n${readOutput()}`);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  });
  await waitUntilReady(origin, child, readOutput);
  return origin;
}

/** Returns a function that returns the end of the program's output. */
function captureOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text = (text + part).slice(-5_000);
    });
  }
  return () => text;
}
