import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { answers } from "../../src/domain/review.ts";
import { type InventedReviewer, type Reviewer, reviewHeaders } from "../../tests/support/reviewers.ts";
import { createOutcome, microseconds } from "../load/ask.ts";
import type { Effort } from "../load/compare.ts";
import { type Connection, openConnection } from "../load/connection.ts";
import { CONNECTIONS } from "../load/saturate.ts";
import type { Target } from "../load/target.ts";
import { median } from "../median.ts";
import { processorTime } from "../processes.ts";
import { recordWrite } from "./statements.ts";
import { type ClientsTask, type Written, writtenNotes } from "./written.ts";

const script = fileURLToPath(new URL("clients.ts", import.meta.url));

/** The product's writes against those of clients that send the same statements. */
export interface Writing {
  product: Written;
  clients: Written;
  /** Reviews a second of the product as a part of the clients', within a round. */
  ratio: number;
  /** How many statements a review takes. */
  statements: number;
  /** Processor time that the serving process spends on a review, in µs. */
  processorTime: number;
}

export interface WritingWorld {
  site: Target;
  databaseUrl: string;
  /** The site as it knows itself. */
  origin: string;
  people: InventedReviewer[];
  showIds: string[];
}

export async function measureWriting(
  world: WritingWorld,
  { rounds, warmUp, secondsAtHalf: seconds }: Effort,
  running: AsyncDisposableStack,
): Promise<Writing> {
  const { site, databaseUrl, origin, people, showIds } = world;
  const [first] = people;
  if (!first) throw new Error("There is nobody to review");
  const write = await recordWrite(databaseUrl, origin, first, showIds);
  const clients = await startClients({ url: databaseUrl, connections: CONNECTIONS, write, people, showIds }, running);
  const product = createWriter(world);
  await product(warmUp);
  await clients(warmUp);
  const found: Record<"product" | "clients", Written[]> = { product: [], clients: [] };
  const usedBefore = processorTime(site.pid);
  for (let round = 0; round < rounds; round++) {
    found.product.push(await product(seconds));
    found.clients.push(await clients(seconds));
  }
  const written = found.product.reduce((sum, { perSecond }) => sum + perSecond * seconds, 0);
  return {
    product: medians(found.product),
    clients: medians(found.clients),
    ratio: median(found.product.map(({ perSecond }, round) => perSecond / (found.clients[round]?.perSecond ?? 0))),
    statements: write.statements.length,
    processorTime: ((processorTime(site.pid) - usedBefore) / written) * 1000,
  };
}

async function startClients(
  task: ClientsTask,
  running: AsyncDisposableStack,
): Promise<(seconds: number) => Promise<Written>> {
  const child = fork(script, { serialization: "advanced" });
  running.defer(() => child.disconnect());
  child.send(task);
  await once(child, "message");
  return async (seconds) => {
    child.send(seconds);
    const [written] = (await once(child, "message")) as [Written];
    return written;
  };
}

/** Writes reviews over HTTP, each stored before it is answered, on as many connections as the clients have. */
function createWriter({ site, people, showIds }: WritingWorld): (seconds: number) => Promise<Written> {
  let turn = 0;
  return async (seconds) => {
    const { latencies } = createOutcome();
    const connections = Array.from({ length: CONNECTIONS }, () => openConnection(site.origin, {}));
    const began = performance.now();
    const end = began + seconds * 1000;
    const write = async (connection: Connection) => {
      for (let sent = performance.now(); sent < end; sent = performance.now()) {
        const status = await putReview(connection, people, showIds, turn++);
        if (status !== 200) throw new Error(`A review was answered with ${status}`);
        latencies.record(microseconds(performance.now() - sent));
      }
    };
    await Promise.all(connections.map(write));
    const took = performance.now() - began;
    for (const connection of connections) connection.close();
    return {
      perSecond: (latencies.count / took) * 1000,
      p50: latencies.percentile(50) / 1000,
      p99: latencies.percentile(99) / 1000,
    };
  };
}

/** Sends a review, another one each turn; answers the status. */
export async function putReview(
  connection: Connection,
  people: readonly Reviewer[],
  showIds: readonly string[],
  turn: number,
): Promise<number> {
  const person = people[turn % people.length];
  if (!person) throw new Error("There is nobody to review");
  const review = {
    show_id: showIds[turn % showIds.length],
    user_id: person.id,
    audience_interaction: answers[turn % answers.length],
    notes: writtenNotes("Somebody", turn),
  };
  return connection.put("/api/reviews", reviewHeaders(person), JSON.stringify(review));
}

function medians(rounds: readonly Written[]): Written {
  const of = (figure: keyof Written) => median(rounds.map((round) => round[figure]));
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99") };
}
