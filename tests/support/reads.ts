import { setTimeout as pause } from "node:timers/promises";

export const lists = ["/", "/?search=show&page=2", "/api/shows?interaction=yes", "/auth"];

interface ReadOptions {
  addresses?: readonly string[];
  readers?: number;
  headers?: (reader: number) => Record<string, string>;
  /** In ms. The pause of a reader after each response. */
  delay?: number;
}

/** Readers that send one request after the other until `stop`. */
export function startReads(origin: string, options: ReadOptions = {}) {
  const { addresses = lists, readers = 1, headers = () => ({}), delay = 50 } = options;
  const result = { failures: [] as string[], times: [] as number[] };
  let stopped = false;
  async function read(address: string, own: Record<string, string>): Promise<void> {
    const startedAt = performance.now();
    const init = { headers: { apikey: "front-row-public", ...own } };
    const response = await fetch(origin + address, init).catch((error: Error) => error);
    const failure = response instanceof Error ? (response.cause ?? response.message) : response.status;
    if (failure !== 200) result.failures.push(`${address}: ${failure}`);
    if (response instanceof Response) await response.arrayBuffer();
    result.times.push(performance.now() - startedAt);
    await pause(delay);
  }
  const reading = Array.from({ length: readers }, async (_, reader) => {
    for (let next = reader; !stopped; next++)
      await read(addresses[next % addresses.length] ?? "/", headers(reader));
  });
  return {
    result,
    async stop() {
      stopped = true;
      await Promise.all(reading);
      return result;
    },
  };
}
