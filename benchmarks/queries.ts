import { seededRandom } from "../dev/fake-festival-api/random.ts";
import { interactions } from "../src/domain/review.ts";

/**
 * Random queries of the list, none of them twice: two or three letters or a piece of a text of the programme,
 * half of them with filters, on any page. The same seed gives the same queries.
 */
export function newQueries(texts: readonly string[], seed = 1): () => string {
  const random = seededRandom(seed);
  const asked = new Set<string>();
  const letter = () => String.fromCharCode(random.int(97, 122));
  const piece = (text: string) => {
    const words = text.split(" ");
    const rest = words.slice(random.int(0, words.length - 1)).join(" ");
    return rest.slice(0, random.int(4, 20)).toWellFormed();
  };
  return function next(): string {
    const kinds = [
      { search: letter() + letter(), pages: 20 },
      { search: letter() + letter() + letter(), pages: 3 },
      { search: piece(random.pick(texts)), pages: 2 },
    ];
    const { search, pages } = random.pick(kinds);
    const query = new URLSearchParams({ search, page: String(random.int(1, pages)) });
    const chosen = random.chance(0.5)
      ? random.shuffle(interactions).slice(0, random.int(1, interactions.length))
      : [];
    for (const interaction of chosen) query.append("interaction", interaction);
    const text = query.toString();
    if (asked.has(text)) return next();
    asked.add(text);
    return text;
  };
}
