import { expect, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import { signIn } from "./accounts.ts";
import { startInstances } from "./instances.ts";
import { createEmptyDatabase } from "./postgres.ts";
import { printFigure } from "./print-figure.ts";
import type { ProxyProgram } from "./proxies.ts";
import { readFirstPage } from "./read-list.ts";
import { expectAcknowledgedStored, type Load, loadPaths, startLoad } from "./steady-load.ts";

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

export async function restartInTurn(instances: InstancesEnvironment, load: Clients, time: number) {
  const { refresh_token } = await signIn(instances.origin, "github", { email: "robin@people.example" });
  const running = instances.startLoad({ ...load, refreshToken: refresh_token });
  const start = performance.now();
  let rounds = 0;
  do {
    for (const index of [0, 1, 2]) expect(await instances.restart(index)).toBe(0);
    rounds++;
  } while (performance.now() - start < time);
  const result = await running.stop();
  const name = (what: string) => `rolling restarts under load, ${what}`;
  printFigure(name("restarts"), rounds * 3, "times");
  printFigure(name("requests answered"), result.responses, "responses");
  printFigure(name("slowest response"), result.slowest, "ms");
  printFigure(name("acknowledged reviews stored"), result.acknowledged.size, "reviews");
  const failed = Object.values(result.failures).reduce((sum, count) => sum + count, result.refused);
  printFigure(name("requests failed"), failed, "requests");
  expect(result.failures).toEqual({});
  expect(result.refused).toBe(0);
  await expectAcknowledgedStored(instances.database, result);
}

/** Restarts an instance under load without a proxy. Expects that it answers all requests that it received. */
export async function stopUnderLoad(
  instances: InstancesEnvironment,
  writers: number,
  whileStopping: (load: Load) => Promise<void> = async () => {},
): Promise<number> {
  const load = instances.startLoad({ writers, delay: 0, index: 1 });
  await vi.waitUntil(() => load.result.acknowledged.size > 10, { timeout: 60_000, interval: 5 });
  const meanwhile = whileStopping(load); // its first step comes before the signal
  expect(await instances.restart(1)).toBe(0);
  await meanwhile;
  const result = await load.stop();
  expect(result.failures).toEqual({});
  expect(result.refused).toBe(2 * loadPaths.length + writers);
  await expectAcknowledgedStored(instances.database, result);
  return result.responses;
}
