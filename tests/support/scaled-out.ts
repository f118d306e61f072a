import { expect, vi } from "vitest";
import { inventReviewers, type Reviewer } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import { type Instances, startInstances } from "./instances.ts";
import { createEmptyDatabase } from "./postgres.ts";
import { firstShows } from "./shown.ts";
import type { Site } from "./site.ts";

/** Three instances that began together on an empty database, when all of them list the shows; and people who review. */
export interface ScaledOut extends Instances {
  database: Database;
  /** The first page of the list. */
  shows: ListedShow[];
  reviewers: Reviewer[];
  at(index: number): Site;
  /** Somebody who has not written yet: nobody's limits matter. */
  someone(): Reviewer;
}

export async function startScaledOut(nginx: string, people: number): Promise<ScaledOut> {
  await using starting = new AsyncDisposableStack();
  const database = await createEmptyDatabase();
  starting.defer(database.close);
  const instances = await startInstances(database, nginx);
  starting.defer(instances.close);
  for (const site of instances.sites) {
    await vi.waitUntil(async () => (await firstShows(site)).length > 0, { timeout: 60_000, interval: 20 });
  }
  const at = (index: number) => instances.sites[index] ?? expect.fail();
  const shows = await firstShows(at(0));
  const reviewers = await inventReviewers(database.db, instances.origin, people);
  const started = starting.move();
  return {
    ...instances,
    database,
    shows,
    reviewers,
    at,
    someone: () => reviewers.pop() ?? expect.fail("Nobody is left who has not written"),
    close: () => started.disposeAsync(),
  };
}
