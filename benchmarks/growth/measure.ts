import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import type { Random } from "../../dev/festival/random.ts";
import { openDatabase } from "../../src/database/open.server.ts";
import { type Comparison, compare, type Effort } from "../load/compare.ts";
import { apiLoad, everyFilter, type Load, threeLetters } from "../load/loads.ts";
import { readPage } from "../load/programme.ts";
import type { Target } from "../load/target.ts";
import { residentMemory } from "../processes.ts";
import { startServer } from "../server.ts";
import { type Change, measureChange } from "./change.ts";
import type { Size } from "./generate.ts";
import { prepareGrown } from "./prepare.ts";
import { measureReload, type Reload } from "./reload.ts";

/** What a hundred times as many shows cost. */
export interface Growth extends Size {
  /** The day, as in 2025-08-31. */
  date: string;
  /** Seconds from the command to the first answer. */
  start: number;
  /** Reading everything again while it serves. */
  reload: Reload;
  /** Resident memory of the serving process in MB: with the catalogue loaded, and at its highest in all this. */
  memory: { loaded: number; highest: number };
  /** The same requests to the grown site and to the other one, as rivals. */
  costs: Comparison[];
  /** One review more, at the other site and at the grown one. */
  change: { usual: Change; grown: Change };
}

const SIZE: Size = { shows: 390_000, reviews: 5_000_000 };

/** What the site of the usual size is called in the comparisons. */
export const USUAL = "usual size";

interface UsualSite extends Target {
  databaseUrl: string;
}

/** Makes a database of the greater size, which takes minutes, and measures the two sites in turn. */
export async function measureGrowth(
  usual: UsualSite,
  effort: Effort,
  running: AsyncDisposableStack,
  tell: (line: string) => void,
): Promise<Growth> {
  const began = performance.now();
  const dataDir = await prepareGrown(SIZE, running);
  tell(`made in ${Math.round((performance.now() - began) / 1000)} s`);
  const server = await startServer({ DATA_DIR: dataDir }, running);
  await readPage(server.origin, "");
  const { db, url, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir,
    log: pino({ level: "silent" }),
    sharing: "join",
  });
  running.defer(close);
  await wait(2_000);
  const loaded = residentMemory(server.pid, "now");
  tell(`open after ${Math.round(server.startedIn)} ms, ${Math.round(loaded)} MB`);

  const reload = await measureReload(server, db);
  tell(`read again in ${reload.seconds.toFixed(1)} s, longest pause ${Math.round(reload.pause)} ms`);
  const costs: Comparison[] = [];
  for (const load of growthLoads()) {
    const [product, other] = [
      { name: "product", target: server, load },
      { name: USUAL, target: usual, load },
    ];
    const cost = await compare(product, [other], effort);
    costs.push(cost);
    tell(
      `${cost.name}: ${Math.round(cost.product.processorTime)} µs, ${Math.round(cost.others[0]?.round.processorTime ?? 0)} µs`,
    );
  }
  const change = {
    usual: await measureChange(usual, usual.databaseUrl),
    grown: await measureChange(server, url),
  };
  return {
    ...SIZE,
    date: new Date().toISOString().slice(0, 10),
    start: server.startedIn / 1000,
    reload,
    memory: { loaded, highest: residentMemory(server.pid, "highest") },
    costs,
    change,
  };
}

/**
 * What is asked of both sites. The first page is kept by both. Searches have to be answered anew: what has few pages would be kept by the
 * one and not by the other.
 */
function growthLoads(): Load[] {
  return [
    apiLoad("first page of the list", null),
    apiLoad("three letters and filters, never asked before", filteredSearches),
    apiLoad("three letters, never asked before", threeLetters),
  ];
}

function filteredSearches(random: Random): () => string {
  const search = threeLetters(random);
  return () => `${search()}&${random.pick(everyFilter)}&page=${random.int(1, 3)}`;
}
