import type { Kysely } from "kysely";
import type { Database } from "../../../src/database/open.server.ts";
import type { Schema } from "../../../src/database/schema.server.ts";
import { type Interaction, reviewCount } from "../../../src/domain/review.ts";
import type { Show } from "../../../src/domain/show.ts";
import { givenReviews, givenShows, givenUsers } from "../../support/given.ts";
import { createDatabase } from "../../support/postgres-server.ts";

/** Shows are in the order of their newest reviews. */
interface InventedShow extends Partial<Omit<Show, "id" | "year" | "announced">> {
  title: string;
  warnings?: string[];
  reviews?: Partial<Record<Interaction, number>>;
}

/** 200 characters, the longest titles. */
export const LONG_TITLE =
  "An Exhaustive and Entirely Reliable Account of How the Borrowed Ladder, the Second-Best Trombone, Four Cousins and a Goat " +
  "Named Kevin Came to Be Stuck, on one Sunday, in the Belfry of the Parish Kirk!";

export const LONG_WORD = `${"Gnurp".repeat(17)}!`;
export const MARKUP_TITLE = "<b>Bold</b> & <img src=x onerror=alert(1)>";
export const CURLY_TITLE = "“It’s Fine” – Said the Fire";
export const EMOJI_TITLE = "Clowns 🎭 on Fire 🔥";
export const LONG_DESCRIPTION = "In which nothing at all is left out, however small. ".repeat(24).trim();

/** Eight shows with all combinations of reviews, in the order of their newest reviews. */
const reviewed: InventedShow[] = [
  {
    title: "Moth Hour",
    website: "https://moth-hour.example/edinburgh?lang=en&from=list",
    artist: "Wren Halloway",
    venue_name: "The Upturned Teacup",
    genre: "Comedy",
    description: "An hour among moths.",
    warnings: ["Strong language/swearing", "audience participation"],
    reviews: { yes: 1 },
  },
  {
    title: "The Human Pyramid of Leith",
    artist: "Nine Sisters",
    venue_name: "The Dock",
    genre: "Dance, Physical Theatre and Circus",
    reviews: { no: 1204, very_little: 812, yes: 725 },
  },
  { title: "Half a Handshake", artist: "Wren Halloway", reviews: { no: 1, very_little: 1 } },
  { title: "Pick a Card", warnings: ["Nudity"], reviews: { very_little: 2, yes: 2 } },
  { title: "Three-Way Split", reviews: { no: 1, very_little: 1, yes: 1 } },
  { title: "Sit Back", warnings: ["Nudity"], reviews: { no: 3, yes: 1 } },
  { title: "Clap Along", warnings: ["Audience participation"], reviews: { very_little: 4 } },
  { title: "The Floor Is Lava", reviews: { yes: 9 } },
];

const quiet: InventedShow[] = numbered("Quiet Evening", 24).map((title) => ({
  title,
  artist: "The Whisperers",
  venue_name: "The Library",
  genre: "Theatre",
  description: "Hush.",
  reviews: { no: 1 },
}));

/** Shows without reviews whose texts are difficult to display. */
const difficult: InventedShow[] = [
  { title: "Tea", artist: "Pip", venue_name: "The Upturned Teacup", genre: "Music", description: "A cup." },
  {
    title: LONG_TITLE,
    artist: "Kevin",
    venue_name: "The Belfry",
    genre: "Musicals and Opera",
    description: "Also, a goat.",
  },
  { title: LONG_WORD, artist: LONG_WORD, venue_name: LONG_WORD, genre: "Cabaret", description: LONG_WORD },
  {
    title: "Café Ébloui",
    artist: "Zoë Ångqvist",
    venue_name: "Théâtre du Pré",
    genre: "Cabaret",
    description: "Ça va ?",
  },
  { title: CURLY_TITLE, artist: "D’Arcy", description: "“Quoted”, as they say." },
  { title: EMOJI_TITLE, description: "🎪🤡" },
  { title: "I <3 Leith", description: "1 < 2 && 3 > 2" },
  {
    title: MARKUP_TITLE,
    artist: "<script>alert(2)</script>",
    venue_name: "R&D",
    description: "<i>not slanted</i>",
  },
  { title: "100% Haggis", warnings: ["Audience participation", "Haggis"] },
  { title: "50_50" },
  { title: "Back\\slash" },
  { title: "Only a Title" },
  {
    title: "The Soup Is Off",
    status: "cancelled",
    website: "https://soup.example/",
    genre: "Comedy",
    artist: "Chef",
  },
  {
    title: "Thorough",
    artist: "Ann O. Tated",
    website: "http://thorough.example/",
    description: LONG_DESCRIPTION,
  },
  { title: "Twice", artist: "First Company", venue_name: "The Dock" },
  { title: "Twice", artist: "Second Company", venue_name: "The Library" },
];

/** Shows without reviews that fill pages. The first 45 are in one venue. */
const matinees: InventedShow[] = numbered("Matinee", 82).map((title, index) => ({
  title,
  artist: "The Afternoon Players",
  venue_name: index < 45 ? "Cowgate Cellar" : "Tollcross Attic",
  genre: "Children's Shows",
  description: "Every day at two.",
}));

const programme = [...reviewed, ...quiet, ...difficult, ...matinees];

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}

export async function writeProgramme(db: Kysely<Schema>): Promise<void> {
  const shows = programme.map(({ reviews: _, ...show }) => show);
  await givenShows(db, shows);
  const counts = programme.map(({ reviews = {} }) => ({ no: 0, very_little: 0, yes: 0, ...reviews }));
  const users = await givenUsers(db, Math.max(...counts.map(reviewCount)));
  for (const [index, { no, very_little, yes }] of counts.entries()) {
    const created_at = new Date(Date.UTC(2025, 7, 20) - index * 60_000);
    const interactionOf = (n: number): Interaction =>
      n < no ? "no" : n < no + very_little ? "very_little" : "yes";
    const rows = users.slice(0, no + very_little + yes).map((user_id, n) => ({
      ...{ show_id: idOf(index), user_id, created_at },
      audience_interaction: interactionOf(n),
    }));
    await givenReviews(db, rows);
  }
}

/** A copy of the database of the global set-up. To write the programme takes a second. */
export function createProgrammeDatabase(): Promise<Database> {
  const { TEST_POSTGRES = "", PROGRAMME_DATABASE } = process.env;
  return createDatabase(TEST_POSTGRES, `template ${PROGRAMME_DATABASE}`);
}

function idOf(index: number): string {
  return `show-${index + 1}`;
}

export function showIdOf(title: string): string {
  return idOf(programme.findIndex((show) => show.title === title));
}
