import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../dev/harness/free-port.ts";
import { residentMemory } from "../dev/harness/processes.ts";
import { openData } from "./data.ts";
import { type Figures, significant } from "./goals.ts";
import { median, medianRatio } from "./load.ts";
import { startRival } from "./rivals/start.ts";

/** A server from its command on. */
interface Start {
  origin: string;
  pid: number;
  /** In ms, to the end of the first page. */
  took: number;
}

/** Goal 7: production's server on an existing database, in turn with an empty server. */
export async function measureStart(
  dataDir: string,
  starts: number,
  running: AsyncDisposableStack,
): Promise<Figures> {
  const { url } = await openData(dataDir, running);
  const memory = { own: [] as number[], empty: [] as number[] };
  const times = { own: [] as number[], empty: [] as number[] };
  for (let start = 0; start < starts; start++) {
    const processes = running.use(new AsyncDisposableStack());
    const own = await timed(() => startServer(url, processes));
    const empty = await timed(() => startRival("empty", url, processes));
    await delay(2_000);
    for (const [name, { pid, took }] of Object.entries({ own, empty }) as ["own" | "empty", Start][]) {
      memory[name].push(residentMemory(pid, "now"));
      times[name].push(took);
    }
    await processes.disposeAsync();
  }
  const compared = ({ own, empty }: typeof times, unit: string) => ({
    value: medianRatio(own, empty),
    detail: `${significant(median(own))} ${unit}, empty ${significant(median(empty))} ${unit}`,
  });
  return { memory: compared(memory, "MB"), start: compared(times, "ms") };
}

async function timed(start: () => Promise<{ origin: string; pid: number }>): Promise<Start> {
  const began = performance.now();
  const { origin, pid } = await start();
  while (!(await isServed(origin))) await delay(5);
  return { origin, pid, took: performance.now() - began };
}

const isServed = (origin: string) =>
  fetch(origin).then(
    async (response) => (await response.text()) !== "" && response.ok,
    () => false,
  );

/** The program of `npm run serve`. It has no reason to refresh, and nobody to sign in with. */
async function startServer(databaseUrl: string, processes: AsyncDisposableStack) {
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    ORIGIN: origin,
    PORT: port,
    OPERATOR_NAME: "Ada Operator",
    OPERATOR_ADDRESS: "1 Stage Door Lane, Edinburgh EH1 1AA",
    OPERATOR_EMAIL: "ada@front-row.example",
    FESTIVAL_API_URL: "http://127.0.0.1:9",
    FESTIVAL_API_KEY: "unused",
    FESTIVAL_API_SECRET: "unused",
    ALLOW_LOOPBACK_PROVIDERS: "1",
  };
  const program = fileURLToPath(new URL("../build/server/main.js", import.meta.url));
  const child = spawn(process.execPath, [program], { env, stdio: "ignore" });
  processes.defer(async () => {
    if (child.exitCode !== null) throw new Error(`The server ended by itself with ${child.exitCode}`);
    child.kill();
    await once(child, "exit");
  });
  return { origin, pid: child.pid ?? 0 };
}
