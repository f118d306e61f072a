import { expect, vi } from "vitest";
import { inventReviewers, type Reviewer } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import { type Instances, startInstances } from "./instances.ts";
import { createEmptyDatabase } from "./postgres.ts";
import { readFirstPage } from "./read-list.ts";
import type { Site } from "./site.ts";

/** Three instances that began together on an empty database, when all of them list the shows; and people who review. */
export interface InstancesEnvironment extends Instances {
  database: Database;
  /** The first page of the list. */
  shows: ListedShow[];
  reviewers: Reviewer[];
  at(index: number): Site;
  /** Somebody who has not written yet: nobody's limits matter. */
  newReviewer(): Reviewer;
}

export async function startInstancesEnvironment(nginx: string, people: number): Promise<InstancesEnvironment> {
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
  const reviewers = await inventReviewers(database.db, instances.origin, people);
  const started = starting.move();
  return {
    ...instances,
    database,
    shows,
    reviewers,
    at,
    newReviewer: () => reviewers.pop() ?? expect.fail("Nobody is left who has not written"),
    close: () => started.disposeAsync(),
  };
}
