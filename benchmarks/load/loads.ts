import { type Random, seededRandom } from "../../dev/festival/random.ts";
import { answers } from "../../src/reviews/review.ts";
import { apiHeaders, type Programme } from "./programme.ts";

/** A stream of requests of one kind. */
export interface Load {
  name: string;
  headers: Record<string, string>;
  /** What every answer must have; a figure made of failures would mean nothing. */
  status: number;
  /** The path of the next request. */
  next(): string;
  /** Whether latency is also measured at half the load that the product can bear. */
  atHalf: boolean;
}

type Kind = Pick<Load, "headers"> & { of: string; path: string };

const page: Kind = { of: "page", path: "/", headers: { "accept-encoding": "br" } };
const api: Kind = { of: "API", path: "/api/shows", headers: apiHeaders };
const apiInBrowser: Kind = {
  of: "API, brotli",
  path: "/api/shows",
  headers: { ...apiHeaders, "accept-encoding": "br" },
};

const notes: Kind = { of: "API, notes", path: "/api/reviews", headers: apiHeaders };

/** Everything that is measured, the same requests in the same order every time. */
export async function prepareLoads(origin: string, programme: Programme): Promise<Load[]> {
  const random = seededRandom(2025);
  const pages = () => `page=${random.int(1, programme.pages)}`;
  const words = () => `search=${encodeURIComponent(random.pick(programme.words))}`;
  const neverAsked = unrepeatedLetters(random);
  const letters = () => `search=${neverAsked()}`;
  const filters = () => `${someAnswers(random)}&page=${random.int(1, 10)}`;
  return [
    load(page, "first page of the list", null, { atHalf: true }),
    load(page, "any page of the list", pages),
    load(page, "search for a word", words, { atHalf: true }),
    load(page, "filters, any of 10 pages", filters),
    await revalidation(origin, page),
    load(api, "first page of the list", null, { atHalf: true }),
    load(api, "any page of the list", pages),
    load(api, "search for three letters", letters, { atHalf: true }),
    load(apiInBrowser, "search for three letters", letters),
    load(api, "filters, any of 10 pages", filters),
    load(api, "any page without reviews", () => `${pages()}&reviews=none`),
    await revalidation(origin, api),
    load(notes, "of the shows on any page", () =>
      random
        .pick(programme.showIds)
        .map((id) => `show_id=${id}`)
        .join("&"),
    ),
  ];
}

function load(kind: Kind, what: string, parameters: (() => string) | null, options: Partial<Load> = {}): Load {
  const next = () => (parameters ? `${kind.path}?${parameters()}` : kind.path);
  return { name: `${kind.of}: ${what}`, headers: kind.headers, status: 200, next, atHalf: false, ...options };
}

/** The first page by somebody who has it already. */
async function revalidation(origin: string, kind: Kind): Promise<Load> {
  const answer = await fetch(origin + kind.path, { headers: { "accept-encoding": "identity", ...kind.headers } });
  await answer.arrayBuffer();
  const headers = { ...kind.headers, "if-none-match": answer.headers.get("etag") ?? "" };
  return load({ ...kind, headers }, "first page, not changed since", null, { status: 304 });
}

/** Any three letters, none twice before all 17,576 have had their turn. */
function unrepeatedLetters(random: Random): () => string {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const all = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  const shuffled = random.shuffle(all);
  let asked = 0;
  return () => shuffled[asked++ % shuffled.length] ?? "";
}

function someAnswers(random: Random): string {
  const chosen = random.shuffle(answers).slice(0, random.int(1, answers.length));
  return chosen.map((answer) => `interaction=${answer}`).join("&");
}
