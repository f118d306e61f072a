import { YEAR } from "../../src/domain/programme.ts";
import { inventDescription } from "./descriptions.ts";
import type { FestivalEvent, FestivalVenue } from "./event.ts";
import { inventGenre, spelledGenre } from "./genres.ts";
import { expand } from "./grammar.ts";
import { type Artist, type ArtistKind, inventArtist } from "./people.ts";
import { inventPerformances, inventRun } from "./performances.ts";
import { addQuirks } from "./quirks.ts";
import { type Random, seededRandom } from "./random.ts";
import { eventRecord } from "./record.ts";
import { inventTitle, wordsAbout } from "./titles.ts";
import { festivalId, inventVenues } from "./venues.ts";
import { subTitles } from "./words/descriptions.ts";
import { specialTitles } from "./words/special-titles.ts";
import { ageCategories, otherWarnings, tagsOf } from "./words/tags.ts";

export interface ProgrammeOptions {
  /** The same seed and size give the same programme, byte for byte. */
  seed?: number;
  size?: number;
}

/** As in the real programme of 2025. */
const SIZE = 3893;
const SHOWS_PER_VENUE = 12.95;

/** Has the irregularities of real programmes, and no name of a real performer, company, venue or show. */
export function inventProgramme({ seed = YEAR, size = SIZE }: ProgrammeOptions = {}): FestivalEvent[] {
  const random = seededRandom(seed);
  const venues = inventVenues(Math.max(1, Math.round(size / SHOWS_PER_VENUE)), random);
  const nextBilling = inventBillings(random);
  return Array.from({ length: size }, (_, index) => {
    const venue = venues[index] ?? popularVenue(venues, random);
    return inventEvent(
      { id: festivalId(`show ${seed} ${index}`), index, venue, billing: nextBilling() },
      random,
    );
  });
}

/** Invents the programme on the first call, because it takes a while. */
export function programmeOnDemand(options?: ProgrammeOptions): () => FestivalEvent[] {
  let programme: FestivalEvent[] | undefined;
  return () => {
    programme ??= inventProgramme(options);
    return programme;
  };
}

/** Some venues get a hundred shows, most a few. */
function popularVenue(venues: readonly FestivalVenue[], random: Random): FestivalVenue {
  const rank = Math.floor(venues.length * random.next() ** 1.6);
  return venues[rank] ?? random.pick(venues);
}

interface Billing {
  genre: string;
  kind: ArtistKind;
  artist: Artist;
  title: string;
}

/** Titles are distinct, except for about one in a hundred, a second run of an earlier show. */
function inventBillings(random: Random): () => Billing {
  const billed = new Map<string, Billing>();
  return () => {
    if (billed.size > 0 && random.chance(0.012)) return random.pick([...billed.values()]);
    for (;;) {
      const { genre, kind } = inventGenre(random);
      const artist = inventArtist(kind, random);
      const billing = { genre, kind, artist, title: inventTitle(genre, kind, artist, random) };
      const key = billing.title.toLowerCase();
      if (billed.has(key)) continue;
      billed.set(key, billing);
      return billing;
    }
  };
}

interface Invention {
  id: string;
  index: number;
  venue: FestivalVenue;
  billing: Billing;
}

function inventEvent({ id, index, venue, billing }: Invention, random: Random): FestivalEvent {
  const { genre, kind, artist, title } = billing;
  const words = wordsAbout(artist);
  const show = {
    id,
    index,
    title,
    subTitle: random.chance(0.12) ? expand(random.pick(subTitles), words, random) : null,
    artist: artist.name,
    artistIsPerson: kind === "person",
    genre: spelledGenre(genre, random),
    tags: random.shuffle(tagsOf[genre] ?? []).slice(0, random.int(0, 3)),
    warnings: inventWarnings(random),
    ageCategory: genre === "Children's Shows" ? "U (Universal)" : random.pick([null, ...ageCategories]),
    description: inventDescription(
      genre === "Comedy" && kind !== "person" ? "Group comedy" : genre,
      words,
      random,
    ),
    venue,
    performances: inventPerformances(inventRun(genre, random), random),
  };
  const event = eventRecord(show, random);
  addQuirks(event, random);
  event.title = specialTitle(index) ?? event.title;
  return event;
}

/** A third of the shows give no warnings, and a tenth declare audience participation. */
function inventWarnings(random: Random): string[] {
  if (random.chance(0.33)) return [];
  const others = random.shuffle(otherWarnings).slice(0, random.int(1, 3));
  return random.chance(0.15) ? random.shuffle(["Audience participation", ...others]) : others;
}

/** Every sixtieth show has one. */
function specialTitle(index: number): string | undefined {
  return index % 60 === 7 ? specialTitles[(index - 7) / 60] : undefined;
}
