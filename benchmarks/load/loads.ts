import { type Random, seededRandom } from "../../dev/festival/random.ts";
import { answers } from "../../src/domain/review.ts";
import { apiHeaders, type Programme } from "./programme.ts";

/** Gives the path of the next request. */
export type Paths = () => string;

/** A kind of request. */
export interface Load {
  name: string;
  headers: Record<string, string>;
  /** What every answer must have; a figure made of failures would mean nothing. */
  status: number;
  /** A new stream of paths: with the same seed the same ones in the same order, so that everybody is asked the same. */
  paths(seed?: number): Paths;
  /** Whether latency is also measured at half the load that the product can bear. */
  atHalf: boolean;
  /** Whether the product is also held against what else one could use, not only against the limit. */
  against: boolean;
  /** What part of the limit's requests a second it has to reach. */
  goal: number | null;
  /** Whether the same answers come round again, so that they are kept. */
  kept: boolean;
}

type Kind = Pick<Load, "headers"> & { of: string; path: string };

const page: Kind = { of: "page", path: "/", headers: { "accept-encoding": "br" } };
const plainPage: Kind = { of: "page, not compressed", path: "/", headers: {} };
const api: Kind = { of: "API", path: "/api/shows", headers: apiHeaders };
const apiInBrowser: Kind = {
  of: "API, brotli",
  path: "/api/shows",
  headers: { ...apiHeaders, "accept-encoding": "br" },
};
const notes: Kind = { of: "API, notes", path: "/api/reviews", headers: apiHeaders };

type Parameters = (random: Random) => () => string;

/** Everything that is measured one after the other. */
export async function prepareLoads(origin: string, programme: Programme): Promise<Load[]> {
  const pages: Parameters = (random) => () => `page=${random.int(1, programme.pages)}`;
  const filters: Parameters = (random) => () => `${someAnswers(random)}&page=${random.int(1, 10)}`;
  const anything = searchAnything(programme);
  const shown: Parameters = (random) => () => notesOf(random.pick(programme.showIds));
  return [
    load(page, "first page of the list", null, { atHalf: true, goal: 0.4 }),
    load(page, "any page of the list", pages, { kept: true, goal: 0.4 }),
    load(page, "filters, any of 10 pages", filters, { kept: true, goal: 0.4 }),
    load(page, "never asked before", anything, { atHalf: true }),
    load(plainPage, "never asked before", anything),
    await revalidation(origin, page),
    load(api, "first page of the list", null, { atHalf: true, against: true, goal: 0.4 }),
    load(api, "never asked before", anything, { atHalf: true, against: true, goal: 0.25 }),
    load(api, "three letters, never asked before", threeLetters, { against: true }),
    load(apiInBrowser, "never asked before", anything),
    load(api, "any page of the list", pages, { kept: true }),
    await revalidation(origin, api),
    load(notes, "of the shows on any page", shown, { kept: true }),
  ];
}

/** Three letters, never the same again. */
export const threeLetters: Parameters = (random) => neverAgain(() => `search=${letters(random, 3)}`);

/**
 * Random searches, filters and pages, none of them twice: two letters, which many shows have, on any of many pages; three letters,
 * which few have; a piece of a title, an artist's or a venue's name, from the beginning of a word.
 */
function searchAnything({ texts }: Programme): Parameters {
  return (random) =>
    neverAgain(() => {
      const [search, pages] = random.pick([
        [letters(random, 2), 20],
        [letters(random, 3), 3],
        [pieceOf(random.pick(texts), random), 2],
      ] as const);
      const parameters = [`search=${encodeURIComponent(search)}`, `page=${random.int(1, pages)}`];
      return random.chance(0.5) ? [...parameters, someAnswers(random)].join("&") : parameters.join("&");
    });
}

/** The parameters of every choice of answers. */
export const everyFilter: readonly string[] = [1, 2, 3, 4, 5, 6, 7].map((choice) =>
  writeAnswers(answers.filter((_, index) => choice & (1 << index))),
);

export function load(kind: Kind, what: string, parameters: Parameters | null, options: Partial<Load> = {}): Load {
  return {
    name: `${kind.of}: ${what}`,
    headers: kind.headers,
    status: 200,
    paths(seed = 1) {
      const next = parameters?.(seededRandom(seed));
      return () => (next ? `${kind.path}?${next()}` : kind.path);
    },
    atHalf: false,
    against: false,
    goal: null,
    kept: false,
    ...options,
  };
}

/** A load of the API's list. */
export function apiLoad(what: string, parameters: Parameters | null): Load {
  return load(api, what, parameters);
}

/** The query of what is written of these shows. */
export function notesOf(showIds: readonly string[]): string {
  return showIds.map((id) => `show_id=${id}`).join("&");
}

/** The first page by somebody who has it already. */
async function revalidation(origin: string, kind: Kind): Promise<Load> {
  const answer = await fetch(origin + kind.path, { headers: { "accept-encoding": "identity", ...kind.headers } });
  await answer.arrayBuffer();
  const headers = { ...kind.headers, "if-none-match": answer.headers.get("etag") ?? "" };
  return load({ ...kind, headers }, "first page, not changed since", null, { status: 304 });
}

/** How often something new is looked for before everything counts as asked. */
const ATTEMPTS = 50;

function neverAgain(draw: () => string): () => string {
  const asked = new Set<string>();
  return function next() {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn = draw();
      if (asked.has(drawn)) continue;
      asked.add(drawn);
      return drawn;
    }
    asked.clear();
    return next();
  };
}

function letters(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick([..."abcdefghijklmnopqrstuvwxyz"])).join("");
}

function pieceOf(text: string, random: Random): string {
  const words = text.split(" ");
  const from = words.slice(random.int(0, words.length - 1)).join(" ");
  return from.slice(0, random.int(4, 20)).toWellFormed();
}

function someAnswers(random: Random): string {
  return writeAnswers(random.shuffle(answers).slice(0, random.int(1, answers.length)));
}

function writeAnswers(chosen: readonly string[]): string {
  return chosen.map((answer) => `interaction=${answer}`).join("&");
}
