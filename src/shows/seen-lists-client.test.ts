import { expect, test } from "vitest";
import { YEAR } from "../domain/programme.ts";
import type { ShowPage } from "../domain/show.ts";
import { recallList, rememberList } from "./seen-lists-client.ts";

const queryOf = (search: string) => ({ search, interaction: [], page: 1 });
const listOf = (total: number): ShowPage => ({ year: YEAR, page: 1, page_size: 20, total, shows: [] });

test("the last twenty lists are kept, one for each query", () => {
  for (let total = 1; total <= 20; total++) rememberList(queryOf(`q${total}`), listOf(total));
  rememberList(queryOf("q1"), listOf(100));
  rememberList(queryOf("new"), listOf(21));
  expect(recallList(queryOf("q1"))).toMatchObject({ list: { total: 100 } });
  expect(recallList(queryOf("q2"))).toBeUndefined();
  expect(recallList(queryOf("q3"))?.list.total).toBe(3);
  expect(recallList({ ...queryOf("q3"), page: 2 })).toBeUndefined();
});
