import { type HttpConnection, openConnection } from "../dev/harness/http-connection.ts";
import { cpuTime } from "../dev/harness/processes.ts";
import { significant } from "./goals.ts";

/** Keep-alive connections, each with one request in flight. */
const CONNECTIONS = 16;
/** More refusals than this share of the requests, and throughput means nothing. */
const MAX_REFUSED = 0.05;

/** A server under load. */
export interface Target {
  origin: string;
  pid: number;
}

/** What to ask a server. */
export interface Load {
  headers: Record<string, string>;
  nextPath: () => string;
  connections?: number;
}

interface Round {
  perSecond: number;
  /** CPU time of the server for one request, in ms. */
  cpu: number;
}

/** Something to measure, and what its rounds found. */
export interface Contender {
  measure: (seconds: number) => Promise<Round>;
  rounds: Round[];
}

/** How many rounds, of how many seconds each. */
export interface Effort {
  rounds: number;
  warmUp: number;
  seconds: number;
}

/** As many requests as a server can answer. */
export function saturating({ origin, pid }: Target, { headers, nextPath, ...load }: Load): Contender {
  return repeating(pid, load.connections, () => {
    const connection = openConnection(origin, headers);
    return { work: () => get(connection, nextPath()), close: connection.close };
  });
}

/** Sends a GET; false when it is refused because the server is busy. */
export async function get(connection: HttpConnection, path: string): Promise<boolean> {
  const status = await connection.get(path);
  if (status !== 200 && status !== 503) throw new Error(`${path} was answered with ${status}`);
  return status === 200;
}

interface Worker {
  /** Does the job once; false when it was refused. */
  work: () => Promise<boolean>;
  close: () => unknown;
}

/** Workers that do a job again and again. */
export function repeating(
  pid: number,
  length = CONNECTIONS,
  createWorker: () => Worker | Promise<Worker>,
): Contender {
  async function measure(seconds: number): Promise<Round> {
    const workers = await Promise.all(Array.from({ length }, createWorker));
    const count = { done: 0, refused: 0 };
    const cpuBefore = cpuTime(pid);
    const began = performance.now();
    const end = began + seconds * 1000;
    const repeat = async ({ work }: Worker) => {
      while (performance.now() < end) count[(await work()) ? "done" : "refused"]++;
    };
    await Promise.all(workers.map(repeat));
    const took = (performance.now() - began) / 1000;
    const cpu = cpuTime(pid) - cpuBefore;
    await Promise.all(workers.map(({ close }) => close()));
    if (count.refused > MAX_REFUSED * count.done) throw new Error(`${count.refused} requests were refused`);
    return { perSecond: count.done / took, cpu: cpu / count.done };
  }
  return { measure, rounds: [] };
}

/** Warms all up, then measures them in turn, so that other work of the machine meets all of them. */
export async function takeTurns(
  contenders: readonly Contender[],
  { rounds, warmUp, seconds }: Effort,
): Promise<void> {
  for (const { measure } of contenders) await measure(warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) contender.rounds.push(await contender.measure(seconds));
  }
}

/** A figure against a rival's: the median of the ratios within a round. */
export function ratio(own: Contender, rival: Contender, figure: keyof Round = "perSecond"): number {
  return medianRatio(
    own.rounds.map((round) => round[figure]),
    rival.rounds.map((round) => round[figure]),
  );
}

/** The median of the ratios of values that were measured in turn. */
export function medianRatio(own: readonly number[], rival: readonly number[]): number {
  return median(own.map((value, turn) => value / (rival[turn] ?? Number.NaN)));
}

export const perSecond = ({ rounds }: Contender) =>
  `${significant(median(rounds.map((round) => round.perSecond)))}/s`;

export const cpuEach = ({ rounds }: Contender) =>
  `${significant(median(rounds.map((round) => round.cpu)))} ms`;

/** The number of values must be odd. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
