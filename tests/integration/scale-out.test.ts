import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { call, readSession, refresh, signIn } from "../support/accounts.ts";
import { figure } from "../support/figure.ts";
import { untilSettled } from "../support/instances.ts";
import { expectKept, failed, keepLoading } from "../support/load.ts";
import { findNginx } from "../support/nginx.ts";
import { openRaw } from "../support/raw.ts";
import { refreshRows } from "../support/refreshes.ts";
import { type ScaledOut, startScaledOut } from "../support/scaled-out.ts";
import { firstShows, untilShown } from "../support/shown.ts";

const nginx = await findNginx();

/** What visitors look at. */
const addresses = ["/", "/?search=the&page=2", "/api/shows?search=a"];

describe.skipIf(nginx === null)("three instances on one database, behind nginx", () => {
  let world: ScaledOut;

  beforeAll(async () => {
    world = await startScaledOut(nginx ?? "", 1_500);
  });
  afterAll(() => world?.close());

  const show = (index: number) => world.shows[index] ?? expect.fail();
  const review = (index: number, notes: string | null = null) =>
    ({ show_id: show(index).id, audience_interaction: "yes", notes }) as const;

  test("that began together on an empty database have refreshed the shows once, and all of them list them", async () => {
    await untilSettled(world.database, world);
    expect(await refreshRows(world.database.db)).toMatchObject([{ outcome: "succeeded" }]);
    // One page of up to 100, of a list that has fewer.
    expect(world.festival.requests).toHaveLength(1);
    for (const site of world.sites)
      expect((await firstShows(site)).map(({ id }) => id).sort()).toEqual(world.shows.map(({ id }) => id).sort());
  });

  test("share sessions: signed in through any, refreshed at each in turn, signed out at one and so at all", async () => {
    let session = await signIn(world.origin, "google", { email: "wren@people.example" });
    const statuses = () =>
      Promise.all(
        world.sites.map(async (site) => (await call(site.origin, "/user", { token: session.access_token })).status),
      );
    for (const { origin } of [...world.sites, world.at(0)]) {
      expect(await statuses()).toEqual([200, 200, 200]);
      session = await readSession(await refresh(origin, session.refresh_token));
    }
    expect((await call(world.at(1).origin, "/logout", { token: session.access_token })).status).toBe(204);
    expect(await statuses()).toEqual([403, 403, 403]);
    for (const { origin } of world.sites) expect((await refresh(origin, session.refresh_token)).status).toBe(400);
  });

  test("share what somebody may write: six reviews at any of them, the seventh is refused by each", async () => {
    const reviewer = world.someone();
    for (let write = 0; write < 6; write++) {
      expect((await sendReview(world.at(write % 3).origin, reviewer, review(write))).status).toBe(200);
    }
    for (const { origin } of world.sites) expect((await sendReview(origin, reviewer, review(0))).status).toBe(429);
  });

  test("show a review that was written at any of them soon, in the list, its notes and on the page", async () => {
    const plain = world.shows.filter(({ title }) => /^[\w ]+$/.test(title));
    let slowest = 0;
    for (const [index, { origin }] of [...world.sites, ...world.sites].entries()) {
      const one = plain[index] ?? expect.fail();
      const began = performance.now();
      const written = { show_id: one.id, audience_interaction: "no", notes: `Written at ${index}` };
      expect((await sendReview(origin, world.someone(), written)).status).toBe(200);
      await Promise.all(world.sites.map((site) => untilShown(site, one, written.notes)));
      slowest = Math.max(slowest, performance.now() - began);
    }
    figure("three instances, a review until all show it, slowest of 6", slowest, "ms");
  });

  test("are started again one after the other under load, and nobody notices; every review that was acknowledged is kept", async () => {
    const { refresh_token } = await signIn(world.origin, "github", { email: "robin@people.example" });
    const showIds = world.shows.slice(0, 5).map(({ id }) => id);
    const load = keepLoading(world.origin, {
      addresses,
      reviewers: world.reviewers,
      writers: 2,
      showIds,
      refreshToken: refresh_token,
      rest: 20,
    });
    for (const index of [0, 1, 2]) expect(await world.restart(index)).toBe(0);
    const loaded = await load.stop();
    figure("rolling restart of three instances, requests answered", loaded.answers, "answers");
    figure("rolling restart of three instances, requests failed", failed(loaded), "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(0);
    await expectKept(world.database, loaded);
  });

  test("told to stop under load without a proxy, one answers every request that has reached it, is not ready for others, and refuses them", async () => {
    const showIds = world.shows.slice(0, 5).map(({ id }) => id);
    const load = keepLoading(world.at(1).origin, {
      addresses,
      reviewers: world.reviewers,
      writers: 2,
      showIds,
      rest: 0,
    });
    const balancer = await openRaw(world.at(1).origin);
    balancer.socket.write("GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n");
    const wasWell = await balancer.receives(1);
    const patience = { timeout: 60_000, interval: 5 };
    await vi.waitUntil(() => load.seen.acknowledged.size > 10, patience);
    balancer.socket.write("GET /readyz HTTP/1.1\r\nHost: here\r\n");
    const restarted = world.restart(1);
    await vi.waitUntil(() => load.seen.refused > 0, patience);
    balancer.socket.write("\r\n");
    const isReady = (await balancer.receives(2)).slice(wasWell.length);
    expect(isReady).toMatch(/^HTTP\/1\.1 503 .*\r\nconnection: close\r\n.*"ready":false/is);
    expect(await restarted).toBe(0);
    const loaded = await load.stop();
    figure("SIGTERM under load, requests answered", loaded.answers, "answers");
    figure("SIGTERM under load, requests failed", failed(loaded) - loaded.refused, "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(8);
    await expectKept(world.database, loaded);
  });

  test("go on when one is cut off from the database: it is still browsed, its writes are refused in time, and it comes back", async () => {
    const cutOff = world.at(2);
    const load = keepLoading(world.origin, { addresses, reviewers: [], writers: 0, showIds: [], rest: 20 });
    world.way.cut();
    const began = performance.now();
    expect((await sendReview(cutOff.origin, world.someone(), review(0))).status).toBe(503);
    figure("an instance cut off from the database, a write until it is refused", performance.now() - began, "ms");
    expect(performance.now() - began).toBeLessThan(15_000);
    for (const address of addresses) expect((await cutOff.api(address)).status).toBe(200);
    expect((await sendReview(world.at(0).origin, world.someone(), review(0))).status).toBe(200);
    expect((await load.stop()).failures).toEqual({});
    world.way.restore();
    const patience = { timeout: 60_000, interval: 100 };
    await vi.waitUntil(
      async () => (await sendReview(cutOff.origin, world.someone(), review(0))).status === 200,
      patience,
    );
  });
});
