import { setTimeout as pause } from "node:timers/promises";

const types: Record<string, RegExp> = { js: /^text\/javascript/, css: /^text\/css/ };

/** Like a browser without a cache: loads all files that a page names, and those that these files name. */
export function startPageLoads(origin: string, visitors = 4) {
  const result = { loads: 0, failures: [] as string[], files: new Set<string>() };
  let stopped = false;

  async function read(address: string): Promise<string> {
    const response = await fetch(origin + address).catch((error: Error) => error);
    if (response instanceof Error) {
      result.failures.push(`${address}: ${response.cause ?? response.message}`);
      return "";
    }
    const type = response.headers.get("content-type") ?? "";
    const isRight = response.status === 200 && (types[address.split(".").at(-1) ?? ""]?.test(type) ?? true);
    const text = await response.text().catch((error: Error) => `unreadable: ${error.message}`);
    if (!isRight || text.startsWith("unreadable"))
      result.failures.push(`${address}: ${response.status} ${type}`);
    return isRight ? text : "";
  }

  async function load(): Promise<void> {
    const seen = new Set<string>();
    const follow = async (text: string): Promise<void> => {
      const names = [...text.matchAll(/["'`](?:\/assets\/|\.\/|assets\/)([\w.-]+\.(?:js|css))["'`]/g)];
      const addresses = names.map(([, name]) => `/assets/${name}`).filter((address) => !seen.has(address));
      for (const address of addresses) seen.add(address);
      await Promise.all([...new Set(addresses)].map(async (address) => follow(await read(address))));
    };
    await follow(await read("/"));
    for (const address of seen) result.files.add(address);
    result.loads += 1;
  }

  const running = Array.from({ length: visitors }, async () => {
    while (!stopped) {
      await load();
      await pause(20);
    }
  });
  return {
    result,
    async stop() {
      stopped = true;
      await Promise.all(running);
      return result;
    },
  };
}
