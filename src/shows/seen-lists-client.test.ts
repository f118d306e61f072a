import { expect, test, vi } from "vitest";
import { bareShow, noTallies } from "../../tests/support/snapshot.ts";
import { YEAR } from "../domain/programme.ts";
import type { ShowPage } from "../domain/show.ts";
import { createSeenLists } from "./seen-lists-client.ts";

const queryOf = (search: string) => ({ search, interaction: [], page: 1 });
const listOf = (total: number): ShowPage => ({ year: YEAR, page: 1, page_size: 20, total, shows: [] });

test("the last twenty lists are kept, one for each query", () => {
  const { remember, recall } = createSeenLists();
  for (let total = 1; total <= 20; total++) remember(queryOf(`q${total}`), listOf(total));
  remember(queryOf("q1"), listOf(100));
  remember(queryOf("new"), listOf(21));
  expect(recall(queryOf("q1"))).toMatchObject({ list: { total: 100 } });
  expect(recall(queryOf("q2"))).toBeUndefined();
  expect(recall(queryOf("q3"))?.list.total).toBe(3);
  expect(recall({ ...queryOf("q3"), page: 2 })).toBeUndefined();
});

test("the newest tallies of each show are known with their time, from any list", () => {
  const { remember, talliesSince } = createSeenLists();
  vi.useFakeTimers();
  const listWith = (id: string, yes: number) => ({
    ...listOf(1),
    shows: [{ ...bareShow(id), reviews: { ...noTallies, yes } }],
  });
  for (const [time, id, yes] of [[1_000, "1", 1], [2_000, "2", 2], [3_000, "1", 3]] as const) {
    vi.setSystemTime(time);
    remember(queryOf(`at ${time}`), listWith(id, yes));
  } // biome-ignore format: a table
  const since = (time: number) => talliesSince(time).map(([id, { yes }]) => [id, yes]);
  expect(since(1_500).toSorted()).toEqual([["1", 3], ["2", 2]]); // biome-ignore format: a table
  expect(since(2_000)).toEqual([["1", 3]]);
  expect(since(3_000)).toEqual([]);
  vi.useRealTimers();
});
