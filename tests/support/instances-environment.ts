import { expect, vi } from "vitest";
import { inventReviewers, type Reviewer } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import { type InstancesOnRelay, startInstances } from "./instances.ts";
import { createEmptyDatabase } from "./postgres.ts";
import type { ProxyProgram } from "./proxies.ts";
import { readFirstPage } from "./read-list.ts";
import type { Site } from "./site.ts";

/** Three instances that were started on an empty database and list the shows, and signed-in reviewers. */
export interface InstancesEnvironment extends InstancesOnRelay {
  database: Database;
  /** The shows on the first page of the list. */
  shows: ListedShow[];
  reviewers: Reviewer[];
  at(index: number): Site;
  /** A reviewer who has not written yet, so that no write limit applies. */
  newReviewer(): Reviewer;
}

export async function startInstancesEnvironment(
  nginx: ProxyProgram,
  reviewerCount: number,
): Promise<InstancesEnvironment> {
  await using starting = new AsyncDisposableStack();
  const database = await createEmptyDatabase();
  starting.defer(database.close);
  const instances = await startInstances(database, nginx);
  starting.defer(instances.close);
  for (const site of instances.sites) {
    await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 20 });
  }
  const at = (index: number) => instances.sites[index] ?? expect.fail();
  const shows = await readFirstPage(at(0));
  const reviewers = await inventReviewers(database.db, instances.origin, reviewerCount);
  const started = starting.move();
  return {
    ...instances,
    database,
    shows,
    reviewers,
    at,
    newReviewer: () => reviewers.pop() ?? expect.fail("No reviewer is left"),
    close: () => started.disposeAsync(),
  };
}
