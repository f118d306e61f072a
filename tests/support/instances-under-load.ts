import { expect, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import { startInstances } from "./instances.ts";
import { createEmptyDatabase } from "./postgres.ts";
import type { ProxyProgram } from "./proxies.ts";
import { readFirstPage } from "./read-list.ts";
import { startLoad } from "./steady-load.ts";

type Clients = Pick<Parameters<typeof startLoad>[1], "writers" | "delay" | "refreshToken">;
export type InstancesEnvironment = Awaited<ReturnType<typeof startInstancesEnvironment>>;

export async function startInstancesEnvironment(proxy: ProxyProgram, reviewerCount: number) {
  await using starting = new AsyncDisposableStack();
  const database = await createEmptyDatabase();
  starting.defer(database.close);
  const instances = await startInstances(proxy, Array(3).fill({ DATABASE_URL: database.url }));
  starting.defer(instances.close);
  for (const site of instances.sites)
    await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 20 });
  const shows = await readFirstPage(instances.at(0));
  const reviewers = await inventReviewers(database.db, instances.origin, reviewerCount);
  const started = starting.move();
  return {
    ...instances,
    database,
    shows,
    review(origin: string, show_id = "", notes: string | null = null) {
      const review = { show_id, audience_interaction: "no", notes };
      return sendReview(origin, reviewers.pop() ?? expect.fail("No reviewer is left"), review);
    },
    /** Visitors, through the proxy or at one instance. With a token, one stays signed in. */
    startLoad({ index, ...options }: Clients & { index?: number }) {
      // A user may write six reviews in a minute.
      const showIds = shows.slice(0, 5).map(({ id }) => id);
      const origin = index === undefined ? instances.origin : instances.at(index).origin;
      const { host } = new URL(instances.origin);
      return startLoad(origin, { reviewers, showIds, host, ...options });
    },
    close: () => started.disposeAsync(),
  };
}
