import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { callAuth, readSession, refreshTokens, signIn } from "../support/accounts.ts";
import {
  type InstancesEnvironment,
  startInstancesEnvironment,
  waitUntilJobsDone,
} from "../support/instances.ts";
import { printFigure } from "../support/print-figure.ts";
import { findNginx } from "../support/proxies.ts";
import { openRawConnection } from "../support/raw-connection.ts";
import { readFirstPage, waitUntilReviewShown } from "../support/read-list.ts";
import { refreshRows } from "../support/refreshes.ts";
import { countFailures, expectAcknowledgedStored, startLoad } from "../support/steady-load.ts";

const nginx = await findNginx();

/** What visitors request. */
const addresses = ["/", "/?search=the&page=2", "/api/shows?search=a"];

describe.skipIf(nginx.program === null)("three instances on one database, behind nginx", () => {
  let cluster: InstancesEnvironment;

  beforeAll(async () => {
    cluster = await startInstancesEnvironment(nginx, 1_500);
  });
  afterAll(() => cluster?.close());

  const show = (index: number) => cluster.shows[index] ?? expect.fail();
  const review = (index: number, notes: string | null = null) =>
    ({ show_id: show(index).id, audience_interaction: "yes", notes }) as const;

  test("refresh once and list the same shows when they start together on an empty database", async () => {
    await waitUntilJobsDone(cluster.database, cluster);
    expect(await refreshRows(cluster.database.db)).toMatchObject([{ outcome: "succeeded" }]);
    // One page of up to 100 holds the whole list.
    expect(cluster.festival.requests).toHaveLength(1);
    for (const site of cluster.sites)
      expect((await readFirstPage(site)).map(({ id }) => id).sort()).toEqual(
        cluster.shows.map(({ id }) => id).sort(),
      );
  });

  test("share sessions: a sign-in, refresh or sign-out at one holds at all", async () => {
    let session = await signIn(cluster.origin, "google", { email: "wren@people.example" });
    const userStatuses = () =>
      Promise.all(
        cluster.sites.map(
          async (site) => (await callAuth(site.origin, "/user", { token: session.access_token })).status,
        ),
      );
    for (const { origin } of [...cluster.sites, cluster.at(0)]) {
      expect(await userStatuses()).toEqual([200, 200, 200]);
      session = await readSession(await refreshTokens(origin, session.refresh_token));
    }
    expect((await callAuth(cluster.at(1).origin, "/logout", { token: session.access_token })).status).toBe(
      204,
    );
    expect(await userStatuses()).toEqual([403, 403, 403]);
    for (const { origin } of cluster.sites)
      expect((await refreshTokens(origin, session.refresh_token)).status).toBe(400);
  });

  test("share write limits: six reviews at any instance, then each refuses the seventh", async () => {
    const reviewer = cluster.newReviewer();
    for (let write = 0; write < 6; write++) {
      expect((await sendReview(cluster.at(write % 3).origin, reviewer, review(write))).status).toBe(200);
    }
    for (const { origin } of cluster.sites)
      expect((await sendReview(origin, reviewer, review(0))).status).toBe(429);
  });

  test("all show a review soon, in list, notes and page, wherever it was written", async () => {
    const plain = cluster.shows.filter(({ title }) => /^[\w ]+$/.test(title));
    let slowest = 0;
    for (const [index, { origin }] of [...cluster.sites, ...cluster.sites].entries()) {
      const reviewed = plain[index] ?? expect.fail();
      const startedAt = performance.now();
      const sent = { show_id: reviewed.id, audience_interaction: "no", notes: `Written at ${index}` };
      expect((await sendReview(origin, cluster.newReviewer(), sent)).status).toBe(200);
      await Promise.all(cluster.sites.map((site) => waitUntilReviewShown(site, reviewed, sent.notes)));
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
    printFigure("three instances, a review until all show it, slowest of 6", slowest, "ms");
  });

  test("are restarted one by one under load without a failed request or a lost review", async () => {
    const { refresh_token } = await signIn(cluster.origin, "github", { email: "robin@people.example" });
    const showIds = cluster.shows.slice(0, 5).map(({ id }) => id);
    const load = startLoad(cluster.origin, {
      addresses,
      reviewers: cluster.reviewers,
      writers: 2,
      showIds,
      refreshToken: refresh_token,
      delay: 100,
    });
    for (const index of [0, 1, 2]) expect(await cluster.restart(index)).toBe(0);
    const loaded = await load.stop();
    printFigure("rolling restart of three instances, requests answered", loaded.responses, "responses");
    printFigure("rolling restart of three instances, requests failed", countFailures(loaded), "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(0);
    await expectAcknowledgedStored(cluster.database, loaded);
  });

  test("drain on SIGTERM without a proxy: answer accepted requests, fail readiness, refuse others", async () => {
    const showIds = cluster.shows.slice(0, 5).map(({ id }) => id);
    const load = startLoad(cluster.at(1).origin, {
      addresses,
      host: new URL(cluster.origin).host,
      reviewers: cluster.reviewers,
      writers: 2,
      showIds,
      delay: 0,
    });
    const balancer = await openRawConnection(cluster.at(1).origin);
    balancer.socket.write("GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n");
    const healthy = await balancer.waitForResponses(1);
    const polling = { timeout: 60_000, interval: 5 };
    await vi.waitUntil(() => load.result.acknowledged.size > 10, polling);
    balancer.socket.write("GET /readyz HTTP/1.1\r\nHost: here\r\n");
    const restarted = cluster.restart(1);
    await vi.waitUntil(() => load.result.refused > 0, polling);
    balancer.socket.write("\r\n");
    const readiness = (await balancer.waitForResponses(2)).slice(healthy.length);
    expect(readiness).toMatch(/^HTTP\/1\.1 503 .*\r\nconnection: close\r\n.*"ready":false/is);
    expect(await restarted).toBe(0);
    const loaded = await load.stop();
    printFigure("SIGTERM under load, requests answered", loaded.responses, "responses");
    printFigure("SIGTERM under load, requests failed", countFailures(loaded) - loaded.refused, "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(8);
    await expectAcknowledgedStored(cluster.database, loaded);
  });

  test("go on when one loses the database: it serves reads, refuses writes in time, and recovers", async () => {
    const cutOff = cluster.at(2);
    const load = startLoad(cluster.origin, { addresses, reviewers: [], writers: 0, showIds: [], delay: 100 });
    cluster.relay.cut();
    const startedAt = performance.now();
    expect((await sendReview(cutOff.origin, cluster.newReviewer(), review(0))).status).toBe(503);
    printFigure(
      "an instance cut off from the database, a write until it is refused",
      performance.now() - startedAt,
      "ms",
    );
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    for (const address of addresses) expect((await cutOff.api(address)).status).toBe(200);
    expect((await sendReview(cluster.at(0).origin, cluster.newReviewer(), review(0))).status).toBe(200);
    expect((await load.stop()).failures).toEqual({});
    cluster.relay.restore();
    const polling = { timeout: 60_000, interval: 100 };
    await vi.waitUntil(
      async () => (await sendReview(cutOff.origin, cluster.newReviewer(), review(0))).status === 200,
      polling,
    );
  });
});
