import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../support/free-port.ts";
import { createMigratedDatabase, startTestPostgres } from "../../support/postgres-server.ts";
import { runProgram } from "../../support/program.ts";
import { pretendRefreshed, startSite } from "../../support/site.ts";
import { writeProgramme } from "./programme.ts";

/** Starts the server as production does, over the small programme. Resolves with its origin. */
export async function startSmallSite(running: AsyncDisposableStack): Promise<string> {
  const postgres = await startTestPostgres();
  running.defer(postgres.stop);
  const database = await createMigratedDatabase(postgres.url);
  running.defer(database.close);
  await writeProgramme(database.db);
  await pretendRefreshed(database.db);
  const site = await startSite({ DATABASE_URL: database.url });
  running.defer(async () => void (await site.end()));
  return site.origin;
}

/** Starts what `npm start` starts, in a new data folder. Resolves with its origin. */
export async function startProduct(running: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "front-row-product-"));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const program = runProgram("dev/start.ts", [], { PORT: port, ORIGIN: origin, DATA_DIR: path.join(folder, "data") });
  let isTold = false;
  const ended = program.ended.then((code) => {
    if (!isTold) throw new Error(`The product ended by itself (${code}):\n${program.output()}`);
  });
  ended.catch(() => {}); // it is told at the end
  running.defer(async () => {
    isTold = true;
    program.process.kill("SIGTERM");
    await ended;
  });
  await program.printed("Front Row is open at");
  return origin;
}
