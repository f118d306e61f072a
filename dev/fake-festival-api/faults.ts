import type { Random } from "./random.ts";

/** What can go wrong with one request. */
export type Fault =
  /** The answer comes, so many milliseconds late. */
  | { kind: "slow"; ms: number }
  /** No answer ever; the connection stays open until the client gives up or the server closes. */
  | { kind: "hang" }
  /** An error, with `Retry-After` in seconds or as an HTTP date where given. */
  | { kind: "status"; status: number; retryAfter?: number | Date }
  /** The connection is closed before anything was answered. */
  | { kind: "drop" }
  /** The connection is closed in the middle of the body. */
  | { kind: "cut" }
  /** 200 with a page of HTML, with nothing, with the first half of the JSON, or with a JSON object in place of the array. */
  | { kind: "html" | "empty" | "truncated" | "object" }
  /** The listing's order differs by up to so many places, otherwise at each request: shows repeat and are missed. */
  | { kind: "shuffled"; places: number }
  /** The page holds only its first so many records; 0 loses it. */
  | { kind: "short"; keep: number }
  /** `x-total-results` claims this, or is missing. */
  | { kind: "total"; claim: number | "nothing" };

/** Which requests a fault hits: all of them, unless something here says less. Every condition must hold. */
interface When {
  /** Only the first so many of those that it would hit. */
  times?: number;
  /** Only every nth. */
  every?: number;
  /** By chance, from a seeded generator. */
  probability?: number;
  /** Only pages that start at one of these values of `from`. */
  from?: readonly number[];
}

export type FaultRule = Fault & When;

/** How a record can be made impossible to understand. `null` stands for the whole record. */
export type Spoil = "no title" | "blank title" | "title is a number" | "no id and no url" | "null";

/**
 * Everything that is wrong with a stand-in; plain data that tests change while it runs. `rules` disturb single requests,
 * all those that hit a request together; the rest disturbs the programme, and the total stays consistent with it.
 */
export interface Faults {
  rules: FaultRule[];
  /** The part of the programme that is listed, from its beginning: 1 is all. */
  shrink: number;
  /** Records that are bad, by id. */
  spoiled: Map<string, Spoil>;
  /** Shows marked deleted, by id: they appear only to requests with `modified_from`. */
  deleted: Set<string>;
  /** Lists deleted shows to everybody, marked as such. */
  listDeleted: boolean;
}

/** A stand-in that does as it should. */
export function noFaults(): Faults {
  return { rules: [], shrink: 1, spoiled: new Map(), deleted: new Set(), listDeleted: false };
}

/** Answers which rules hit a request for the page that starts at `from` (null: not a page), and counts it. */
export type HitBy = (rules: readonly FaultRule[], from: number | null) => Fault[];

/** Counts are kept here, by rule, so that the rules stay as they were written. */
export function createHitBy(random: Random): HitBy {
  const counts = new WeakMap<FaultRule, { asked: number; hit: number }>();

  function hits(rule: FaultRule, from: number | null): boolean {
    if (rule.from && (from === null || !rule.from.includes(from))) return false;
    const count = counts.get(rule) ?? { asked: 0, hit: 0 };
    counts.set(rule, count);
    count.asked += 1;
    if (count.hit >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
    if (count.asked % (rule.every ?? 1) !== 0) return false;
    if (!random.chance(rule.probability ?? 1)) return false;
    count.hit += 1;
    return true;
  }
  return (rules, from) => rules.filter((rule) => hits(rule, from));
}
