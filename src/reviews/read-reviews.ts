import { type Answer, readTallies, type Tallies } from "../domain/review.ts";
import { list, record, text } from "../json.ts";

/** The newest notes that reviews of a show hold, by answer, newest first. */
export type ShowNotes = Record<Answer, string[]>;

/** The notes in an answer of `GET /api/reviews`, by show. @throws TypeError when it is anything else */
export function readNotes(value: unknown): Map<string, ShowNotes> {
  const shows = Object.entries(record(record(value).reviews));
  return new Map(shows.map(([id, reviews]) => [id, readShowNotes(record(reviews))]));
}

function readShowNotes({ no, very_little, yes }: Record<string, unknown>): ShowNotes {
  return { no: readTexts(no), very_little: readTexts(very_little), yes: readTexts(yes) };
}

function readTexts(value: unknown): string[] {
  return list(record(value).notes).map((note) => text(record(note).notes));
}

/** The shows of the reviews in an answer of `GET /api/reviews/mine`. @throws TypeError when it is anything else */
export function readReviewedShows(value: unknown): string[] {
  return list(record(value).reviews).map((review) => text(record(review).show_id));
}

/** A show's tallies in the answer to a review of it. @throws TypeError when it is anything else */
export function readNewTallies(value: unknown, showId: string): Tallies {
  const { review, reviews } = record(value);
  if (record(review).show_id !== showId) throw new TypeError("The answer is about another show");
  return readTallies(reviews);
}
