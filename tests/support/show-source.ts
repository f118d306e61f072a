import { createHash } from "node:crypto";
import type { RevisedTallies } from "../../src/domain/review.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import type { ReadShow, ReadTallies, ShowSource } from "../../src/shows/show-source.server.ts";

/** Tallies that have never changed, unless they say how often they have. */
type Listed = Omit<ListedShow, "reviews"> & { reviews?: ListedShow["reviews"] | RevisedTallies };

/** Some shows as the database answers them, in two batches. */
export function sourceOf(listed: readonly Listed[]): Required<ShowSource> {
  const shows = listed.map(readShow);
  const tallies = listed.flatMap(({ id, reviews }): ReadTallies[] =>
    reviews ? [{ revision: 0, ...reviews, show_id: id }] : [],
  );
  return {
    digests: () => inTwo(shows.map(({ id, digest, foundBy }) => ({ id, digest, foundBy }))),
    shows: (ids) => inTwo(ids ? shows.filter(({ id }) => ids.includes(id)) : shows),
    tallies: () => inTwo(tallies),
  };
}

function readShow({ reviews, ...show }: Listed): ReadShow {
  const { id, title, artist, venue_name } = show;
  const json = Buffer.from(JSON.stringify(show));
  const foundBy = digestOf(JSON.stringify([id, title, artist, venue_name]));
  return { id, digest: digestOf(json), foundBy, title, artist, venue_name, json };
}

function digestOf(content: string | Buffer): number {
  return createHash("sha256").update(content).digest().readUIntBE(0, 6);
}

function inTwo<T>(members: readonly T[]): T[][] {
  const half = Math.ceil(members.length / 2);
  return [members.slice(0, half), members.slice(half)];
}
