import { setTimeout as pause } from "node:timers/promises";
import type { Site } from "./site.ts";

/** What somebody met with who browsed all the time. */
export interface ReadResult {
  /** Answers that came. */
  responses: number;
  /** Whatever was not answered 200, in words. */
  failures: string[];
  /** The longest that an answer took, in ms. */
  slowest: number;
}

/** What everybody looks at. */
const list = ["/", "/?search=show&page=2", "/api/shows?interaction=yes", "/auth"];

/**
 * Browses a site, one request after the other, some twenty a second, until it is stopped.
 * @param showIds shows whose notes are read as well
 */
export function startBackgroundReads({ api }: Site, showIds: readonly string[] = []): { stop(): Promise<ReadResult> } {
  const addresses = [...list, ...showIds.map((id) => `/api/reviews?show_id=${id}`)];
  const seen: ReadResult = { responses: 0, failures: [], slowest: 0 };
  let stopped = false;

  async function look(address: string): Promise<void> {
    const began = performance.now();
    const answer = await api(address).catch((error: Error) => error);
    const status = answer instanceof Error ? answer.message : answer.status;
    if (status !== 200) seen.failures.push(`${address}: ${status}`);
    if (answer instanceof Response) await answer.arrayBuffer();
    seen.responses += 1;
    seen.slowest = Math.max(seen.slowest, performance.now() - began);
  }
  async function browse(): Promise<void> {
    while (!stopped) {
      for (const address of addresses) {
        await look(address);
        await pause(50);
      }
    }
  }
  const browsing = browse();
  return {
    async stop() {
      stopped = true;
      await browsing;
      return seen;
    },
  };
}
