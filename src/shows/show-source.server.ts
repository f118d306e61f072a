import type { RevisedTallies } from "../domain/review.ts";
import type { Show } from "../domain/show.ts";

/** Members of something long, some at a time, in no order. */
export type Batches<T> = Iterable<readonly T[]> | AsyncIterable<readonly T[]>;

/** Where the listed shows are read from, all as they are at one moment. */
export interface ShowSource {
  /** Which shows there are, and in which words. */
  digests(): Batches<ShowDigest>;
  /** All shows, or those of some ids. */
  shows(ids?: readonly string[]): Batches<ReadShow>;
  /** The tallies of whatever has some, listed or not. Left out, they are unknown. */
  tallies?(): Batches<ReadTallies>;
}

/** The sum of two integers below it is one that JavaScript knows exactly. */
export const FOUND_BY_END = 2 ** 52;

export interface ShowDigest {
  id: string;
  /** An integer that names everything that visitors see of a show. */
  digest: number;
  /** An integer below `FOUND_BY_END` that names its id, title, artist and venue, by which it is found and ordered. */
  foundBy: number;
}

/** A show as it is read: what it is found and ordered by, and everything that visitors see of it. */
export interface ReadShow extends ShowDigest, Pick<Show, "title" | "artist" | "venue_name"> {
  /** The `Show` as JSON in UTF-8, without white space before its end. It is there until the next batch is asked for. */
  json: Uint8Array;
}

export interface ReadTallies extends RevisedTallies {
  show_id: string;
}
