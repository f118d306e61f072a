import { setTimeout as pause } from "node:timers/promises";
import type { Site } from "./site.ts";

const listAddresses = ["/", "/?search=show&page=2", "/api/shows?interaction=yes", "/auth"];

export function startBackgroundReads({ api }: Site, more: readonly string[] = []) {
  const result = { responses: 0, failures: [] as string[], slowest: 0 };
  let stopped = false;
  async function read(address: string): Promise<void> {
    const start = performance.now();
    const response = await api(address).catch((error: Error) => error);
    const status = response instanceof Error ? response.message : response.status;
    if (status !== 200) result.failures.push(`${address}: ${status}`);
    if (response instanceof Response) await response.arrayBuffer();
    result.responses += 1;
    result.slowest = Math.max(result.slowest, performance.now() - start);
    await pause(50);
  }
  const reading = (async () => {
    while (!stopped) for (const address of [...listAddresses, ...more]) await read(address);
  })();
  return {
    async stop() {
      stopped = true;
      await reading;
      return result;
    },
  };
}
