import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { YEAR } from "../domain/programme.ts";
import { nameOf } from "./search-folding.ts";
import type { SnapshotShow } from "./snapshot-queries.server.ts";

const SHOWS_PER_YIELD = 500;

/** By the id of a listed show: last year's shows of the same name (docs/product.md §3.16). */
export async function findNamesakes(listed: readonly SnapshotShow[], past: readonly SnapshotShow[]) {
  const before = past.filter(({ show }) => show.year === YEAR - 1);
  const idsByName = new Map<string, string[]>();
  const namesakes = new Map<string, readonly string[]>();
  if (before.length === 0) return namesakes;
  for (const [index, { show }] of [...before, ...listed].entries()) {
    const name = nameOf(show);
    const ids = idsByName.get(name);
    if (index >= before.length) ids && namesakes.set(show.id, ids);
    else if (ids) ids.push(show.id);
    else idsByName.set(name, [show.id]);
    if (index % SHOWS_PER_YIELD === 0) await yieldToEventLoop();
  }
  return namesakes;
}
