import { seededRandom } from "../../dev/festival/random.ts";
import { type Comparison, compare, type Effort } from "./compare.ts";
import { type Load, notesOf } from "./loads.ts";
import { apiHeaders, type Programme, readPage } from "./programme.ts";
import type { Target } from "./target.ts";

/** What the specification's own way is called in reports. */
export const OWN_WAY = "the specification's own way";

/** How many requests the view of a page takes, in both ways. */
export const REQUESTS_OF_VIEW = 2;

/**
 * What a browser asks for to show any page of the list: of the product the page and what is written of its shows; in the
 * specification's own way the page, and all reviews.
 */
export async function compareViews(
  product: Target,
  specification: Target,
  programme: Programme,
  effort: Effort,
): Promise<Comparison> {
  const own = viewLoad("page views", (page) => [
    `/api/shows?page=${page}`,
    `/api/reviews?${notesOf(programme.showIds[page - 1] ?? [])}`,
  ]);
  const other = viewLoad("page views", (page) => [`/shows?page=${page}`, "/reviews"]);
  await requireSameShows(product, specification);
  return compare(
    { name: "product", target: product, load: own },
    [{ name: OWN_WAY, target: specification, load: other }],
    effort,
  );

  function viewLoad(name: string, requestsFor: (page: number) => string[]): Load {
    return {
      name,
      headers: apiHeaders,
      status: 200,
      paths(seed = 1) {
        const random = seededRandom(seed);
        const waiting: string[] = [];
        return () => {
          if (waiting.length === 0) waiting.push(...requestsFor(random.int(1, programme.pages)));
          return waiting.shift() ?? "/";
        };
      },
      atHalf: false,
      against: false,
      goal: null,
      kept: true,
    };
  }
}

/** @throws Error when the two have other shows on the first page */
async function requireSameShows(product: Target, specification: Target): Promise<void> {
  const { shows, total } = await readPage(product.origin, "");
  const text = await (await fetch(`${specification.origin}/shows`)).text();
  const same = text.startsWith(`{"count" : ${total},`) && shows.every(({ id }) => text.includes(`"id" : "${id}"`));
  if (!same) throw new Error("The specification's own way shows other shows than the product");
}
