import type { ArtistKind } from "./people.ts";
import type { Random } from "./random.ts";

type Shares<T> = readonly (readonly [T, share: number])[];

/** In percent of the shows. */
const genres: Shares<string> = [
  ["Comedy", 37],
  ["Theatre", 28.5],
  ["Music", 8.5],
  ["Cabaret and Variety", 6],
  ["Musicals and Opera", 4.5],
  ["Children's Shows", 4.5],
  ["Dance, Physical Theatre and Circus", 4.5],
  ["Spoken Word", 3.5],
  ["Events", 2],
  ["Exhibitions", 1],
];

/** In percent of a genre's shows. */
const performers: Readonly<Record<string, Shares<ArtistKind>>> = {
  Comedy: shares({ person: 80, troupe: 20 }),
  Theatre: shares({ company: 75, person: 25 }),
  Music: shares({ band: 80, person: 20 }),
  "Cabaret and Variety": shares({ "stage name": 55, person: 30, company: 15 }),
  "Spoken Word": shares({ person: 90, company: 10 }),
  "Children's Shows": shares({ company: 70, person: 30 }),
};
const others = shares({ company: 80, person: 20 });

export function inventGenre(random: Random): { genre: string; kind: ArtistKind } {
  const genre = random.weighted(genres);
  return { genre, kind: random.weighted(performers[genre] ?? others) };
}

/** The real API has two spellings of one genre. */
export function spelledGenre(genre: string, random: Random): string {
  return genre === "Musicals and Opera" && random.chance(0.2) ? "Musical and Opera" : genre;
}

function shares(of: Partial<Record<ArtistKind, number>>): Shares<ArtistKind> {
  const kinds: readonly ArtistKind[] = ["person", "stage name", "company", "band", "troupe"];
  return kinds.map((kind) => [kind, of[kind] ?? 0]);
}
