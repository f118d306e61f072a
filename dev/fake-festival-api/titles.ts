import { expand, type Grammar } from "./grammar.ts";
import type { Artist, ArtistKind } from "./people.ts";
import type { Random } from "./random.ts";
import { vocabulary } from "./vocabulary.ts";
import { groupComedy, soloComedy } from "./words/comedy-titles.ts";
import { cabaret, childrens, events, exhibitions, music, spokenWord } from "./words/other-titles.ts";
import { longTitles } from "./words/special-titles.ts";
import { dance, musicals, theatre } from "./words/stage-titles.ts";

/** In UTF-16 code units. */
export const MAX_TITLE = 200;

const templatesOf: Readonly<Record<string, readonly string[]>> = {
  Theatre: theatre,
  Music: music,
  "Musicals and Opera": musicals,
  "Dance, Physical Theatre and Circus": dance,
  "Cabaret and Variety": cabaret,
  "Spoken Word": spokenWord,
  "Children's Shows": childrens,
  Events: events,
  Exhibitions: exhibitions,
};

/** 3 to 200 characters. */
export function inventTitle(genre: string, kind: ArtistKind, artist: Artist, random: Random): string {
  const templates = random.chance(0.012) ? longTitles : templatesFor(genre, kind);
  const words = wordsAbout(artist);
  for (;;) {
    const title = smallWordsInside(expand(random.pick(templates), words, random));
    if (title.length >= 3 && title.length <= MAX_TITLE) return inLetterCase(title, random);
  }
}

/** With the names of a show's artist. */
export function wordsAbout({ name, givenName }: Artist): Grammar {
  return { ...vocabulary, artist: [name], company: [name], troupe: [name], givenName: [givenName] };
}

function templatesFor(genre: string, kind: ArtistKind): readonly string[] {
  if (genre === "Comedy") return kind === "person" ? soloComedy : groupComedy;
  return templatesOf[genre] ?? theatre;
}

/** `Burying The Ferryman` becomes `Burying the Ferryman`; after a colon or a dash the capital stays. */
function smallWordsInside(title: string): string {
  return title.replace(/(?<=[\p{L}\d)] )(?:The|An?|Of|To|And|In)(?= )/gu, (word) => word.toLowerCase());
}

function inLetterCase(title: string, random: Random): string {
  if (random.chance(0.035)) return title.toUpperCase().slice(0, MAX_TITLE);
  return random.chance(0.015) ? title.toLowerCase() : title;
}
