import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const module = new URL("memory.server.ts", import.meta.url);
/** V8 thinks of giving memory back when it has collected a lot of garbage, after a millisecond instead of eight seconds. */
const flags = ["--expose-gc", "--trace-memory-reducer", "--gc-memory-reducer-start-delay-ms=1"];
const collectGarbage = "globalThis.many = Array.from({ length: 1e6 }, () => ({})); gc();";
/** V8's timer is one of the event loop's, begun in its first turn and due after 0.1 s. What is due later comes later, however slow the machine. */
const endAfterwards = "setImmediate(() => setTimeout(() => {}, 500))";

/** What V8 says of giving memory back, in a process that runs this before there is a lot of garbage. */
async function saidAfter(preparation: string): Promise<string> {
  const script = `${preparation}; ${collectGarbage} ${endAfterwards}`;
  const { stdout } = await run(process.execPath, [...flags, "--input-type=module", "-e", script]);
  return stdout;
}

test("V8 waits for a moment to give memory back, but not in a process that keeps it", async () => {
  const keep = `import { keepMemory } from ${JSON.stringify(module)}; keepMemory()`;
  const [usually, keeping] = await Promise.all([saidAfter(""), saidAfter(keep)]);
  expect(usually).toMatch(/waiting for|started GC/);
  expect(keeping).toContain("Memory reducer: ");
  expect(keeping).not.toMatch(/waiting for|started GC/);
});

/** Makes 200 MB of garbage, a little in each turn of the event loop, and says when it begins. */
const litter = `async function litter() {
  console.log("Littering");
  for (let turn = 0; turn < 2_000; turn++) {
    globalThis.some = Array.from({ length: 2_000 }, () => ({ turn }));
    await new Promise(setImmediate);
  }
}`;

test("V8 collects young garbage several times as often while work goes on that makes much, and afterwards as before", async () => {
  const imported = `import { collectingEarly } from ${JSON.stringify(module)}`;
  const script = `${imported}; ${litter}; await litter(); await collectingEarly(litter); await litter();`;
  const room = ["--min-semi-space-size=16", "--max-semi-space-size=16"];
  const { stdout } = await run(process.execPath, ["--trace-gc", ...room, "--input-type=module", "-e", script]);
  const [before = 0, early = 0, after = 0] = stdout
    .split("Littering")
    .slice(1)
    .map((said) => said.match(/Scavenge/g)?.length ?? 0);
  expect(before).toBeGreaterThan(0);
  expect(early).toBeGreaterThan(2 * before);
  expect(early).toBeGreaterThan(2 * after);
});

test("what stands for usual is V8's own number", async () => {
  const { stdout } = await run(process.execPath, ["--v8-options"]);
  expect(stdout).toMatch(/default: --minor-gc-task-trigger=80$/m);
});
