import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../dev/harness/free-port.ts";
import { givenRefresh } from "../support/given.ts";
import { createMigratedDatabase, startTestPostgres } from "../support/postgres-server.ts";
import { runProgram } from "../support/program.ts";
import { startSite } from "../support/site.ts";
import { endProcess, waitUntilReady } from "../support/wait-until-ready.ts";
import { createProgrammeDatabase, writeProgramme } from "./support/programme.ts";

export default async function setup(): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const [small, product] = await Promise.allSettled([startSmallSite(starting), startProduct(starting)]);
  if (small.status === "rejected") throw small.reason;
  if (product.status === "rejected") throw product.reason;
  const running = starting.move();
  return () => running.disposeAsync();
}

async function startSmallSite(running: AsyncDisposableStack): Promise<void> {
  const postgres = await startTestPostgres();
  running.defer(postgres.stop);
  const template = await createMigratedDatabase(postgres.url);
  await writeProgramme(template.db);
  await givenRefresh(template.db);
  await template.db.destroy(); // PostgreSQL copies a database without connections only
  process.env.TEST_POSTGRES = postgres.url;
  process.env.PROGRAMME_DATABASE = new URL(template.url).pathname.slice(1);
  const database = await createProgrammeDatabase();
  running.defer(database.close);
  const site = await startSite({ DATABASE_URL: database.url });
  running.defer(async () => void (await site.stop()));
  process.env.SMALL_SITE = site.origin;
}

async function startProduct(running: AsyncDisposableStack): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "front-row-product-"));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const variables = { PORT: port, ORIGIN: origin, DATA_DIR: path.join(folder, "data") };
  const { process: child, output } = runProgram("dev/start.ts", [], variables);
  running.defer(() => endProcess(child));
  await waitUntilReady(origin, child, output);
  process.env.PRODUCT = origin;
}
