import { expand } from "./grammar.ts";
import type { Random } from "./random.ts";
import { vocabulary } from "./vocabulary.ts";
import {
  bandNames,
  companyNames,
  firstNames,
  honorifics,
  improvTroupes,
  stageSurnames,
  surnames,
} from "./words/people.ts";

/** The name on the bill, and the name in texts. */
export interface Artist {
  name: string;
  givenName: string;
}

export type ArtistKind = "person" | "stage name" | "company" | "band" | "troupe";

const groups: Partial<Record<ArtistKind, readonly string[]>> = {
  company: companyNames,
  band: bandNames,
  troupe: improvTroupes,
};

export function inventArtist(kind: ArtistKind, random: Random): Artist {
  const group = groups[kind];
  if (group) return named(expand(random.pick(group), vocabulary, random));
  if (kind === "stage name") return named(`${random.pick(honorifics)} ${random.pick(stageSurnames)}`);
  const givenName = random.pick(firstNames);
  return { name: `${givenName} ${random.pick(surnames)}`, givenName };
}

const named = (name: string): Artist => ({ name, givenName: name });
