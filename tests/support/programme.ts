import fc from "fast-check";
import type { Db } from "../../src/database/schema.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { type Interaction, interactions } from "../../src/domain/review.ts";
import type { Show } from "../../src/domain/show.ts";
import { givenNone, givenReviews, givenShows, givenUsers } from "./given.ts";

const pieces = [
  "cat", "Cat", "CAT", "dog", "café", "CAFÉ", "cafe", "Ärger", "arger", "straße", "øre", "İzmir", "ΟΔΟΣ", "οδος",
  "%", "_", "\\", "'", "’", "‘", '"', "“", "”", "-", "–", "—", "10", "9", "007", " ", "&", "<3", "(", ")", "!", "🎭", "😀", "e\u0301",
  "ŁÓDŹ", "lodz", "Æro", "aero", "ore", "oere", "mü", "mue", "mu", "Å", "aa", "a\u030a", "oE", "ʼ", "`", "´", "′", "/", ":", "?", "[", ".", "+", ",", "*", "1,000", "A.I.", "strasse", "ﬁn", "ｆin", "fin", "and", "…", "...",
  "  ", "\u00a0", "\t", "\u200b", "\u200e", "\u00ad", "\ufeff",
]; // biome-ignore format: a table of pieces

const warnings = ["Audience participation", "AUDIENCE participation", "No audience participation", "Nudity"];

const text = (max: number) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: max }).map((parts) => parts.join(""));
const nonBlank = (max: number) => text(max).filter((value) => value.trim() !== "");
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });

export const genres = ["Comedy", "Theatre & Comedy"];

/** Two names. */
const sameName = fc.constantFrom("Cat", "CAT!", "Mühe", "muhe");

const withSigns = fc.constantFrom("9 A.I.s", "10 A/Is", "1,000 AI’s", "200 a*i*s", "1,000,000");

/** Spellings of the addresses of two ticket pages (docs/product.md §2.24). */
export const ticketPages = [
  [
    "https://tickets.example/hats",
    "http://www.Tickets.example/hats/",
    "https://tickets.example/hats?utm_source=a&gclid=1#map",
  ],
  ["https://tickets.example/hats?year=2", "https://tickets.example/hats/?fbclid=1&year=2"],
];

interface InventedReview {
  show: number;
  user: number;
  interaction: Interaction;
  /** Minutes after the first of August. */
  at: number;
}

export type Programme = typeof programmeArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Programmes of up to 60 shows, some unlisted or of other years, with reviews by up to 8 users. */
export const programmeArbitrary = fc.record({
  shows: fc.array(
    fc.record(
      {
        title: fc.oneof(
          { weight: 2, arbitrary: nonBlank(4) },
          { weight: 1, arbitrary: sameName },
          { weight: 1, arbitrary: withSigns },
        ),
        artist: nullable(fc.oneof(nonBlank(3), fc.constantFrom("Dog", "dog"))),
        venue_name: nullable(nonBlank(2)),
        listed: fc.nat(9).map((digit) => digit > 0),
        year: fc.constantFrom(YEAR, YEAR, YEAR, YEAR, YEAR - 1, YEAR - 1, YEAR - 2, YEAR + 1),
        status: fc.constantFrom<Show["status"]>("active", "active", "cancelled"),
        genre: nullable(fc.constantFrom(...genres)),
        website: nullable(fc.constantFrom(...ticketPages.flat(), "https://tickets.example/")),
        warnings: nullable(fc.subarray([...warnings], { minLength: 1 })),
      },
      { requiredKeys: ["title", "artist", "venue_name", "listed", "year", "status"] },
    ),
    { maxLength: 60, size: "max" },
  ),
  reviews: fc.uniqueArray(
    fc.record<InventedReview>({
      // Some shows have many reviews, with few Yes among them.
      show: fc.oneof(fc.nat(59), fc.nat(5)),
      user: fc.nat(7),
      interaction: fc.constantFrom(...interactions, "no"),
      at: fc.nat(40),
    }),
    { maxLength: 80, size: "max", selector: ({ show, user }) => `${show} ${user}` },
  ),
});

export const searchArbitrary = fc.oneof(
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 4, arbitrary: text(2) },
  { weight: 1, arbitrary: fc.constantFrom("ais", "a i s", "A.is", "1000", "1.000", "a-i-s", "000a") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "Hats! ").chain(textWithAddress) },
);

function textWithAddress(before: string): fc.Arbitrary<string> {
  return fc.constantFrom(...ticketPages.flat()).map((address) => before + address);
}

export const showId = (index: number) => `show-${String(index).padStart(2, "0")}`;
export const userId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

export async function replaceProgramme(db: Db, { shows, reviews }: Programme): Promise<void> {
  await givenNone(db, "shows", "users");
  const users = [0, 1, 2, 3, 4, 5, 6, 7];
  const accounts = users.map((index) => ({ id: userId(index), email: `${index}@people.example` }));
  await givenUsers(db, accounts);
  const listed = shows.map((show, index) => ({ ...show, id: showId(index) }));
  await givenShows(db, listed);
  const rows = reviews
    .filter((review) => review.show < shows.length)
    .map(({ show, user, interaction, at }) => ({
      show_id: showId(show),
      user_id: userId(user),
      audience_interaction: interaction,
      created_at: new Date(Date.UTC(YEAR, 7, 1, 0, at)),
    }));
  await givenReviews(db, rows);
}
