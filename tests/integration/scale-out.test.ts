import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import type { ListedShow } from "../../src/shows/show.ts";
import { call, readSession, refresh, signIn } from "../support/accounts.ts";
import { figure } from "../support/figure.ts";
import { type Instances, startInstances, untilSettled } from "../support/instances.ts";
import { expectKept, failed, keepLoading } from "../support/load.ts";
import { findNginx } from "../support/nginx.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { openRaw } from "../support/raw.ts";
import { refreshRows } from "../support/refreshes.ts";
import { inventReviewers, type Reviewer, sendReview } from "../support/reviewers.ts";
import { firstShows, untilShown } from "../support/shown.ts";
import type { Site } from "../support/site.ts";

const nginx = findNginx();

/** What visitors look at. */
const addresses = ["/", "/?search=the&page=2", "/api/shows?search=a"];

describe.skipIf(nginx === null)("three instances on one database, behind nginx", () => {
  let database: Database;
  let instances: Instances;
  let shows: ListedShow[];
  let reviewers: Reviewer[];

  beforeAll(async () => {
    database = await createEmptyDatabase();
    instances = await startInstances(database, nginx ?? "");
    for (const site of instances.sites) {
      await vi.waitUntil(async () => (await firstShows(site)).length > 0, { timeout: 60_000, interval: 20 });
    }
    shows = await firstShows(at(0));
    reviewers = await inventReviewers(database.db, instances.origin, 1_500);
  });
  afterAll(async () => {
    await instances?.close();
    await database?.close();
  });

  const at = (index: number): Site => instances.sites[index] ?? expect.fail();
  const someone = () => reviewers.pop() ?? expect.fail("Nobody is left who has not written");
  const show = (index: number) => shows[index] ?? expect.fail();
  const review = (index: number, notes: string | null = null) =>
    ({ show_id: show(index).id, audience_interaction: "yes", notes }) as const;

  test("that began together on an empty database have refreshed the shows once, and all of them list them", async () => {
    await untilSettled(database, instances);
    expect(await refreshRows(database.db)).toMatchObject([{ outcome: "succeeded" }]);
    // One page of up to 100, of a list that has fewer.
    expect(instances.festival.requests).toHaveLength(1);
    for (const site of instances.sites)
      expect((await firstShows(site)).map(({ id }) => id).sort()).toEqual(shows.map(({ id }) => id).sort());
  });

  test("share sessions: signed in through any, refreshed at each in turn, signed out at one and so at all", async () => {
    let session = await signIn(instances.origin, "google", { email: "wren@people.example" });
    const statuses = () =>
      Promise.all(
        instances.sites.map(async (site) => (await call(site.origin, "/user", { token: session.access_token })).status),
      );
    for (const { origin } of [...instances.sites, at(0)]) {
      expect(await statuses()).toEqual([200, 200, 200]);
      session = await readSession(await refresh(origin, session.refresh_token));
    }
    expect((await call(at(1).origin, "/logout", { token: session.access_token })).status).toBe(204);
    expect(await statuses()).toEqual([403, 403, 403]);
    for (const { origin } of instances.sites) expect((await refresh(origin, session.refresh_token)).status).toBe(400);
  });

  test("share what somebody may write: six reviews at any of them, the seventh is refused by each", async () => {
    const reviewer = someone();
    for (let write = 0; write < 6; write++) {
      expect((await sendReview(at(write % 3).origin, reviewer, review(write))).status).toBe(200);
    }
    for (const { origin } of instances.sites) expect((await sendReview(origin, reviewer, review(0))).status).toBe(429);
  });

  test("show a review that was written at any of them soon, in the list, its notes and on the page", async () => {
    const plain = shows.filter(({ title }) => /^[\w ]+$/.test(title));
    let slowest = 0;
    for (const [index, { origin }] of [...instances.sites, ...instances.sites].entries()) {
      const one = plain[index] ?? expect.fail();
      const began = performance.now();
      const written = { show_id: one.id, audience_interaction: "no", notes: `Written at ${index}` };
      expect((await sendReview(origin, someone(), written)).status).toBe(200);
      await Promise.all(instances.sites.map((site) => untilShown(site, one, written.notes)));
      slowest = Math.max(slowest, performance.now() - began);
    }
    figure("three instances, a review until all show it, slowest of 6", slowest, "ms");
    expect(slowest).toBeLessThan(5_000);
  });

  test("are started again one after the other under load, and nobody notices; every review that was acknowledged is kept", async () => {
    const { refresh_token } = await signIn(instances.origin, "github", { email: "robin@people.example" });
    const showIds = shows.slice(0, 5).map(({ id }) => id);
    const load = keepLoading(instances.origin, {
      addresses,
      reviewers,
      writers: 2,
      showIds,
      refreshToken: refresh_token,
      rest: 20,
    });
    for (const index of [0, 1, 2]) expect(await instances.restart(index)).toBe(0);
    const loaded = await load.stop();
    figure("rolling restart of three instances, requests answered", loaded.answers, "answers");
    figure("rolling restart of three instances, requests failed", failed(loaded), "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(0);
    await expectKept(database, loaded);
  });

  test("told to stop under load without a proxy, one answers every request that has reached it, is not ready for others, and refuses them", async () => {
    const showIds = shows.slice(0, 5).map(({ id }) => id);
    const load = keepLoading(at(1).origin, { addresses, reviewers, writers: 2, showIds, rest: 0 });
    const balancer = await openRaw(at(1).origin);
    balancer.socket.write("GET /readyz HTTP/1.1\r\nHost: here\r\n");
    const patience = { timeout: 60_000, interval: 5 };
    await vi.waitUntil(() => load.seen.acknowledged.size > 10, patience);
    const restarted = instances.restart(1);
    await vi.waitUntil(() => load.seen.refused > 0, patience);
    balancer.socket.write("\r\n");
    expect(await balancer.receives(1)).toMatch(/^HTTP\/1\.1 503 .*\r\nconnection: close\r\n.*"ready":false/is);
    expect(await restarted).toBe(0);
    const loaded = await load.stop();
    figure("SIGTERM under load, requests answered", loaded.answers, "answers");
    figure("SIGTERM under load, requests failed", failed(loaded) - loaded.refused, "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(8);
    await expectKept(database, loaded);
  });

  test("go on when one is cut off from the database: it is still browsed, its writes are refused in time, and it comes back", async () => {
    const cutOff = at(2);
    const load = keepLoading(instances.origin, { addresses, reviewers: [], writers: 0, showIds: [], rest: 20 });
    instances.way.cut();
    const began = performance.now();
    expect((await sendReview(cutOff.origin, someone(), review(0))).status).toBe(503);
    figure("an instance cut off from the database, a write until it is refused", performance.now() - began, "ms");
    expect(performance.now() - began).toBeLessThan(15_000);
    for (const address of addresses) expect((await cutOff.api(address)).status).toBe(200);
    expect((await sendReview(at(0).origin, someone(), review(0))).status).toBe(200);
    expect((await load.stop()).failures).toEqual({});
    instances.way.restore();
    const patience = { timeout: 60_000, interval: 100 };
    await vi.waitUntil(async () => (await sendReview(cutOff.origin, someone(), review(0))).status === 200, patience);
  });
});
