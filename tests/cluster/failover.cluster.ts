import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  expectScheduleAlive,
  type FailoverEnvironment,
  startFailoverEnvironment,
} from "../support/failover-environment.ts";
import type { Machine } from "../support/machines.ts";
import { printFigure } from "../support/print-figure.ts";
import { findNginx } from "../support/proxies.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { expectAcknowledgedStored, type Load } from "../support/steady-load.ts";

let environment: FailoverEnvironment;

beforeAll(async () => {
  environment = await startFailoverEnvironment(await findNginx());
});
afterAll(() => environment?.close());

/** How long the proxies are frozen, in ms: longer than the site waits for an answer. */
const FROZEN_MS = 15_000;

const polling = { timeout: 120_000, interval: 50 };

/**
 * Breaks something while visitors read and write, repairs it, and expects that nobody who reads noticed it,
 * no acknowledged review is lost, no refused one is stored, and everything works as before.
 */
async function survive(what: string, breakAndRepair: (load: Load) => Promise<void>): Promise<void> {
  const { cluster, instances, database } = environment;
  await cluster.settled();
  const load = await environment.startVisitors();
  await vi.waitUntil(() => load.result.acknowledged.size > 20, polling);
  const logged = instances.sites.map(({ log }) => log.length);
  const startedAt = performance.now();
  await breakAndRepair(load);
  await cluster.settled();
  await waitUntilWritten(load);
  const result = await load.stop();
  printFigure(`${what}, reads and writes answered`, result.responses, "responses");
  printFigure(`${what}, slowest read`, result.slowestRead, "ms");
  printFigure(`${what}, refused reviews`, result.unavailable.size, "reviews");
  const failures = Object.entries(result.failures);
  expect(failures.filter(([failure]) => failure.startsWith("GET"))).toEqual([]);
  expect(failures.filter(([failure]) => !/ 503 /.test(failure))).toEqual([]);
  expect(result.refused).toBe(0);
  await expectAcknowledgedStored(database, result);
  await expectScheduleAlive(database, instances);
  await expectServersMatchDatabase(database.db, instances.sites);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const [index, { log }] of instances.sites.entries()) {
    const lines = log.slice(logged[index]);
    printFigure(
      `${what}, log lines of instance ${index + 1} a minute`,
      (lines.length / seconds) * 60,
      "lines",
    );
    expect(lines.filter((line) => !line.startsWith("{") || /\\n\s+at |"level":50/.test(line))).toEqual([]);
    expect(lines.length, lines.join("\n")).toBeLessThan(seconds);
  }
}

/** Waits for reviews that are acknowledged from now on, by all writers. Resolves with the time, in ms. */
async function waitUntilWritten({ result }: Load): Promise<number> {
  const startedAt = performance.now();
  const before = result.acknowledged.size;
  await vi.waitUntil(() => result.acknowledged.size > before + 10, polling);
  return performance.now() - startedAt;
}

/** Breaks the primary and waits until the other database takes writes. Resolves with the old primary. */
async function failOver(
  what: string,
  load: Load,
  breakPrimary: (primary: Machine) => Promise<unknown>,
): Promise<Machine> {
  const { cluster } = environment;
  const { primary, standby } = await cluster.settled();
  const startedAt = performance.now();
  await breakPrimary(primary);
  await vi.waitUntil(async () => (await cluster.primaryName()) === standby.name, polling);
  await waitUntilWritten(load);
  printFigure(`${what}, until the other database takes reviews`, performance.now() - startedAt, "ms");
  return primary;
}

test("no other machine of the network reaches etcd, Patroni or PostgreSQL", async () => {
  const { machines, addStranger } = environment.cluster;
  const stranger = await addStranger();
  const reaches = (machine: Machine, { address }: Machine, port: number) =>
    machine.run("postgres", ["timeout", "2", "bash", "-c", `</dev/tcp/${address}/${port}`]).then(
      () => true,
      () => false,
    );
  const [site, ...databases] = machines;
  const open = [
    ...machines.flatMap((to) => [2379, 2380].map((port) => ({ to, port }))),
    ...databases.flatMap((to) => [5432, 8008].map((port) => ({ to, port }))),
  ];
  for (const { to, port } of open) {
    expect([to.name, port, await reaches(site ?? to, to, port)]).toEqual([to.name, port, true]);
    expect([to.name, port, await reaches(stranger, to, port)]).toEqual([to.name, port, false]);
  }
});

test("a switchover", async () => {
  const what = "switchover";
  await survive(what, async (load) => {
    await failOver(what, load, () => environment.cluster.switchover());
  });
});

test("the primary is killed with its machine, and returns", async () => {
  const what = "kill -9 of the primary's machine";
  await survive(what, async (load) => {
    const killed = await failOver(what, load, (primary) => primary.signal("SIGKILL"));
    environment.cluster.boot(killed);
  });
});

test("PostgreSQL alone is killed on the primary", async () => {
  const what = "kill -9 of PostgreSQL";
  await survive(what, async (load) => {
    await failOver(what, load, (primary) => primary.run("root", ["pkill", "-KILL", "postgres"]));
  });
});

test("the primary's machine freezes, is replaced, and goes on later", async () => {
  const what = "frozen primary";
  await survive(what, async (load) => {
    const frozen = await failOver(what, load, (primary) => primary.signal("SIGSTOP"));
    await frozen.signal("SIGCONT");
  });
});

test("the primary is cut off from everybody, and found again later", async () => {
  const what = "primary cut off";
  await survive(what, async (load) => {
    const cutOff = await failOver(what, load, (primary) => primary.unplug());
    await cutOff.plug();
  });
});

test("the standby freezes, and commits wait for it until it is given up", async () => {
  const what = "frozen standby";
  await survive(what, async (load) => {
    const { standby } = await environment.cluster.settled();
    await standby.signal("SIGSTOP");
    const waited = await waitUntilWritten(load);
    printFigure(`${what}, until reviews are taken without it`, waited, "ms");
    await standby.signal("SIGCONT");
  });
});

test.each(["haproxy", "pooler"] as const)("the database's %s freezes for a while", async (name) => {
  await survive(`frozen ${name}`, async () => {
    environment[name].signal("SIGSTOP");
    await pause(FROZEN_MS);
    environment[name].signal("SIGCONT");
  });
});
