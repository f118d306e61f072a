import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type InstancesEnvironment, startInstancesEnvironment } from "../support/instances-under-load.ts";
import { makeJobsDue, pendingJobs, untilListening } from "../support/job-queue.ts";
import { findNginx, patient } from "../support/proxies.ts";
import { openRawConnection } from "../support/raw-connection.ts";
import { readFirstPage } from "../support/read-list.ts";
import { refreshRows } from "../support/refreshes.ts";
import { expectAcknowledgedStored, loadPaths } from "../support/steady-load.ts";

const nginx = patient(await findNginx());

describe.skipIf(nginx.program === null)("three instances on one database, behind nginx", () => {
  let cluster: InstancesEnvironment;
  beforeAll(async () => {
    cluster = await startInstancesEnvironment(nginx, 1_500);
  });
  afterAll(() => cluster?.close());

  test("refresh once and list the same shows when they start together on an empty database", async () => {
    const { db } = cluster.database;
    await untilListening(db, 3);
    const polling = { timeout: 60_000, interval: 50 };
    await vi.waitUntil(async () => (await pendingJobs(db)).length === 0 || makeJobsDue(db), polling);
    expect(await refreshRows(db)).toMatchObject([{ outcome: "succeeded" }]);
    // One page of up to 100 holds the whole list.
    expect(cluster.festival.requests).toHaveLength(1);
    for (const site of cluster.sites)
      expect((await readFirstPage(site)).map(({ id }) => id).sort()).toEqual(
        cluster.shows.map(({ id }) => id).sort(),
      );
  });

  test("drain on SIGTERM without a proxy: answer accepted requests, fail readiness, refuse others", async () => {
    const balancer = await openRawConnection(cluster.at(1).origin);
    balancer.socket.write("GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n");
    const healthy = await balancer.waitForResponses(1);
    const writers = 2;
    const load = cluster.startLoad({ writers, delay: 0, index: 1 });
    await vi.waitUntil(() => load.result.acknowledged.size > 10, { timeout: 60_000, interval: 5 });
    balancer.socket.write("GET /readyz HTTP/1.1\r\nHost: here\r\n"); // before the signal
    const restarted = cluster.restart(1);
    await vi.waitUntil(() => load.result.refused > 0, { timeout: 60_000, interval: 5 });
    balancer.socket.write("\r\n");
    const readiness = (await balancer.waitForResponses(2)).slice(healthy.length);
    expect(readiness).toMatch(/^HTTP\/1\.1 503 .*\r\nconnection: close\r\n.*"ready":false/is);
    expect(await restarted).toBe(0);
    const result = await load.stop();
    expect(result.failures).toEqual({});
    expect(result.refused).toBe(2 * loadPaths.length + writers);
    await expectAcknowledgedStored(cluster.database, result);
  });
});
