import { YEAR } from "../../src/domain/programme.ts";
import type { Interaction } from "../../src/domain/review.ts";
import { type Random, seededRandom } from "../fake-festival-api/random.ts";
import { inventInteraction } from "./interaction.ts";
import { inventNotes } from "./notes.ts";
import { inventPeople } from "./people.ts";

export interface ReviewedShow {
  id: string;
  title: string;
  genre: string | null;
}

export interface InventedUser {
  id: string;
  email: string;
  created_at: Date;
}

export interface InventedReview {
  show_id: string;
  user_id: string;
  audience_interaction: Interaction;
  notes: string | null;
  created_at: Date;
}

/** Shares: shows with reviews, shows with hundreds of reviews, reviews with notes. */
const REVIEWED = 0.35;
const POPULAR = 0.0025;
const WITH_NOTES = 0.5;

/** At most one review per user and show. The same seed and shows give the same reviews, in any order. */
export function inventReviews({ seed = 1, shows }: { seed?: number; shows: readonly ReviewedShow[] }): {
  users: InventedUser[];
  reviews: InventedReview[];
} {
  const random = seededRandom(seed);
  const people = inventPeople(shows.length === 0 ? 0 : Math.max(20, Math.round(shows.length / 4)), random);
  const inOrder = random.shuffle(shows.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  const popular = Math.round(shows.length * POPULAR);
  const reviews = inOrder.slice(0, Math.ceil(shows.length * REVIEWED)).flatMap((show, rank) => {
    const count = rank < popular ? random.int(100, 400) : 1 + Math.floor(12 * random.next() ** 2.4);
    const drawInteraction = inventInteraction(show, random);
    return pickSome(people, count, random).map(({ id }) => inventReview(show, id, drawInteraction(), random));
  });
  return { users: withFirstVisit(people, reviews), reviews };
}

function inventReview(
  show: ReviewedShow,
  userId: string,
  interaction: Interaction,
  random: Random,
): InventedReview {
  return {
    show_id: show.id,
    user_id: userId,
    audience_interaction: interaction,
    notes: random.chance(WITH_NOTES) ? inventNotes(interaction, show.genre, random) : null,
    created_at: inventTime(random),
  };
}

/** Picks the first ones far more often than the last. */
function pickSome<T>(people: readonly T[], count: number, random: Random): T[] {
  const picked = new Set<T>();
  while (picked.size < Math.min(count, people.length)) {
    const person = people[Math.floor(people.length * random.next() ** 1.4)];
    if (person !== undefined) picked.add(person);
  }
  return [...picked];
}

const HOUR = 3_600_000;

/** Between 1 and 28 August, mostly mid-month, from midday until after the late shows. */
function inventTime(random: Random): Date {
  const day = random.weighted([
    [random.int(1, 5), 12],
    [random.int(6, 25), 82],
    [random.int(26, 27), 6],
  ]);
  const hour = random.weighted([
    [random.int(11, 17), 35],
    [random.int(18, 23), 50],
    [random.int(24, 26), 15],
  ]);
  return new Date(Date.UTC(YEAR, 7, day) + (hour - 1 + random.next()) * HOUR);
}

/** Their accounts are created shortly before their first review. */
function withFirstVisit(
  people: readonly { id: string; email: string }[],
  reviews: readonly InventedReview[],
): InventedUser[] {
  const first = new Map<string, number>();
  for (const { user_id, created_at } of reviews) {
    first.set(user_id, Math.min(created_at.getTime(), first.get(user_id) ?? Number.POSITIVE_INFINITY));
  }
  return people.flatMap(({ id, email }) => {
    const time = first.get(id);
    return time === undefined ? [] : [{ id, email, created_at: new Date(time - HOUR / 12) }];
  });
}
