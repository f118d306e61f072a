import { expect, test } from "vitest";
import { clusterSimilarNotes } from "./similar-notes.ts";

const phrase = "We sat near the back";
const written = (userId: string, notes: string) => ({ userId, notes, prefixHash: "1" });

test("nearly equal notes of three accounts are a group, but not of two", () => {
  const copies = [
    "We sat near the back and laughed all night, see it!",
    "WE SAT NEAR THE BACK and laughed all night... see it",
    "We sat near the back and really laughed all night, see it",
  ].map((notes, n) => written(`copier ${n}`, notes));
  const other = written("another", "We sat near the back but nobody near us was picked");
  expect(clusterSimilarNotes([...copies, other])).toEqual([copies]);
  expect(clusterSimilarNotes([...copies.slice(1), other])).toEqual([]);
});

test("copies are found among many notes that begin with the same phrase", () => {
  const numbered = (n: number) => Array.from({ length: 8 }, (_, at) => `word${n}at${at}`).join(" ");
  const others = Array.from({ length: 2_000 }, (_, n) => written(`user ${n}`, `${phrase}, ${numbered(n)}`));
  const copies = [1, 2, 3].map((n) => written(`copier ${n}`, `${phrase} and the whole room sang along`));
  expect(clusterSimilarNotes([...others, ...copies])).toEqual([copies]);
});
