/*
 * What the database could do: clients as pgbench has them, each on a connection of its own, that send what the product sends for a review,
 * statement by statement, and do nothing else. Runs in a process of its own.
 */
import { once } from "node:events";
import process from "node:process";
import pg from "pg";
import { answers } from "../../src/domain/review.ts";
import { createOutcome, microseconds } from "../load/ask.ts";
import type { RecordedWrite } from "./statements.ts";
import { type ClientsTask, type Written, writtenNotes } from "./written.ts";

process.on("disconnect", () => process.exit());
const [task] = (await once(process, "message")) as [ClientsTask];
const clients = await Promise.all(Array.from({ length: task.connections }, openClient));
let turn = 0;
process.on("message", async (seconds: number) => process.send?.(await writeFor(seconds)));
process.send?.("ready");

async function openClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: task.url, application_name: "front-row-bench" });
  await client.connect();
  return client;
}

async function writeFor(seconds: number): Promise<Written> {
  const { latencies } = createOutcome();
  const began = performance.now();
  const end = began + seconds * 1000;
  const write = async (client: pg.Client) => {
    for (let sent = performance.now(); sent < end; sent = performance.now()) {
      await writeReview(client, turn++);
      latencies.record(microseconds(performance.now() - sent));
    }
  };
  await Promise.all(clients.map(write));
  const took = performance.now() - began;
  return {
    perSecond: (latencies.count / took) * 1000,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
  };
}

async function writeReview(client: pg.Client, turn: number): Promise<void> {
  const own = substitute(task.write, turn);
  for (const { sql, parameters } of task.write.statements) {
    await client.query(sql, parameters.map(own));
  }
}

/** Puts another review in the place of the recorded one. */
function substitute(recorded: RecordedWrite, turn: number): (value: unknown) => unknown {
  const person = task.people[turn % task.people.length];
  if (!person) throw new Error("There is nobody to review");
  const others = new Map([
    [recorded.showId, task.showIds[turn % task.showIds.length] ?? ""],
    [recorded.answer, answers[turn % answers.length] ?? "no"],
    [recorded.notes, writtenNotes("A client", turn)],
    [recorded.sessionId, person.sessionId],
  ]);
  return (value) =>
    typeof value === "string" ? (others.get(value) ?? value.replace(recorded.userId, person.id)) : value;
}
