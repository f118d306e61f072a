import type { Random } from "./random.ts";

export type Fault =
  /** Delays the response. */
  | { kind: "slow"; ms: number }
  /** Gets no response until this resolves, the client gives up or the server closes. */
  | { kind: "hang"; until?: Promise<void> }
  /** An error status, with `Retry-After` in seconds or as an HTTP date if given. */
  | { kind: "status"; status: number; retryAfter?: number | Date }
  /** The connection is closed before the response. */
  | { kind: "drop" }
  /** The connection is closed in the middle of the body. */
  | { kind: "cut" }
  /** 200 with a page of HTML, no body, the first half of the JSON, or a JSON object instead of the array. */
  | { kind: "html" | "empty" | "truncated" | "object" }
  /** Each request gets another order, in which shows move by at most this number: some repeat, some are missed. */
  | { kind: "shuffled"; places: number }
  /** Before the response, a random show is deleted, added or moved for good. */
  | { kind: "changed" }
  /** Sends only the first records of the page. */
  | { kind: "short"; keep: number }
  /** `x-total-results` claims this, or is missing. */
  | { kind: "total"; claim: number | "nothing" };

/** A request is hit if it meets all conditions. */
interface When {
  /** Hits at most this many requests. */
  times?: number;
  /** Hits only every nth request. */
  every?: number;
  /** Hits requests at random, by a seeded generator. */
  probability?: number;
  /** Only pages that start at one of these values of `from`. */
  from?: readonly number[];
}

export type FaultRule = Fault & When;

/** Makes a record invalid or odd. `null` replaces the whole record. */
export type Spoil =
  | "no title"
  | "blank title"
  | "title is a number"
  | "long title"
  | "no id and no url"
  | "null";

/**
 * Plain data: tests change it while the server runs. `rules` disturb single requests; several can hit one. Other
 * faults change the programme together with its total.
 */
export interface Faults {
  rules: FaultRule[];
  /** The share of the programme that stays, from its beginning. */
  shrink: number;
  /** By id. */
  spoiled: Map<string, Spoil>;
  /** Shows marked as deleted, by id. Only requests with `modified_from` get them. */
  deleted: Set<string>;
  /** Lists deleted shows in all responses, marked as deleted. */
  listDeleted: boolean;
}

export function noFaults(): Faults {
  return { rules: [], shrink: 1, spoiled: new Map(), deleted: new Set(), listDeleted: false };
}

/** Counts a request and returns its faults. @param from the first result of the page; null for other requests */
export type PickFaults = (rules: readonly FaultRule[], from: number | null) => Fault[];

/** Counts outside of the rules, which stay plain data. */
export function createFaultPicker(random: Random): PickFaults {
  const counts = new WeakMap<FaultRule, { requests: number; hit: number }>();

  function hits(rule: FaultRule, from: number | null): boolean {
    if (rule.from && (from === null || !rule.from.includes(from))) return false;
    const count = counts.get(rule) ?? { requests: 0, hit: 0 };
    counts.set(rule, count);
    count.requests += 1;
    if (count.hit >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
    if (count.requests % (rule.every ?? 1) !== 0) return false;
    if (!random.chance(rule.probability ?? 1)) return false;
    count.hit += 1;
    return true;
  }
  return (rules, from) => rules.filter((rule) => hits(rule, from));
}
