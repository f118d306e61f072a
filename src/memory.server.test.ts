import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const module = new URL("memory.server.ts", import.meta.url);
/** V8 thinks of giving memory back when it has collected a lot of garbage, after a millisecond instead of eight seconds. */
const flags = ["--expose-gc", "--trace-memory-reducer", "--gc-memory-reducer-start-delay-ms=1"];
const collectGarbage = "globalThis.many = Array.from({ length: 1e6 }, () => ({})); gc();";
/** V8's timer is one of the event loop's, begun in its first turn and due after 0.1 s. What is due later comes later, however slow the machine. */
const endAfterwards = "setImmediate(() => setTimeout(() => {}, 500))";

/** What V8 says of giving memory back, in a process that runs this before there is a lot of garbage. */
async function saidAfter(preparation: string): Promise<string> {
  const script = `${preparation}; ${collectGarbage} ${endAfterwards}`;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "-e", script]);
  return stdout;
}

test("V8 waits for a moment to give memory back, but not in a process that keeps it", async () => {
  const keep = `import { keepMemory } from ${JSON.stringify(module)}; keepMemory()`;
  const [usually, keeping] = await Promise.all([saidAfter(""), saidAfter(keep)]);
  expect(usually).toMatch(/waiting for|started GC/);
  expect(keeping).toContain("Memory reducer: ");
  expect(keeping).not.toMatch(/waiting for|started GC/);
});
