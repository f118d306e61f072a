import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type FestivalApi, fetchPage, PAGE_RECORDS } from "./client.server.ts";
import { type FestivalRecord, type FestivalShow, readRecord } from "./record-parser.server.ts";

/** How often the whole list is fetched before it is given up as incomplete. Shifting pages need many goes. */
const MOST_PASSES = 12;
/** A list that brings nothing new so often in a row will not become complete. */
const MOST_FRUITLESS_PASSES = 2;
/** No festival has so many; an answer that goes on for longer is not one. */
const MOST_PAGES = 1_000;
/** The share of records that may be impossible to understand. */
const TOLERATED_BAD = 0.05;

type BadRecord = Extract<FestivalRecord, { kind: "bad" }>;

/** Everything that the festival lists for a year. */
export interface Programme {
  shows: FestivalShow[];
  /** Shows that the festival says are not to be listed. */
  unlisted: string[];
  /** Records that could not be understood; they count as seen. */
  bad: BadRecord[];
}

/** How far a fetch has come: distinct records seen, and how many there are to see (null while unknown). */
export interface Progress {
  seen: number;
  total: number | null;
}

export interface ProgrammeQuery {
  year: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The festival's answer cannot be believed: it is incomplete, or too much of it cannot be understood. */
export class ProgrammeError extends Error {
  override name = "ProgrammeError";
}

/** What was seen so far, over all passes. */
interface SeenList {
  records: Map<string, FestivalRecord>;
  /** The latest that a page gave. */
  total: number | null;
}

/** What one fetch of the whole list brought. */
interface Pass {
  /** How many records each page held. */
  sizes: number[];
  /** Records without an id, which cannot be told apart. */
  nameless: FestivalRecord[];
  /** Whether it held an id that was not seen before. */
  isFruitful: boolean;
}

/**
 * Fetches the year's whole programme. Pages may shift while they are fetched, so a list is believed only once as many
 * distinct records were seen as there are; until then everything is fetched again and added to what was seen. The last
 * record of an id wins.
 * @throws ProgrammeError when the list stays incomplete, or more than 5 % of it cannot be understood
 * @throws FestivalApiError when a page cannot be had
 */
export async function fetchProgramme(api: FestivalApi, query: ProgrammeQuery): Promise<Programme> {
  const list: SeenList = { records: new Map(), total: null };
  for (let passes = 1, fruitless = 0; ; passes++) {
    const pass = await fetchPass(api, query, list);
    if (isComplete(pass, list)) return understand([...list.records.values(), ...pass.nameless]);
    fruitless = pass.isFruitful ? 0 : fruitless + 1;
    const seen = list.records.size + pass.nameless.length;
    if (passes === MOST_PASSES || fruitless === MOST_FRUITLESS_PASSES) {
      const all = list.total ?? "an unknown number of";
      throw new ProgrammeError(
        `The festival's list stayed incomplete: ${seen} of ${all} shows came, in ${passes} tries.`,
      );
    }
    api.log.warn({ seen, total: list.total }, "The festival's list came incomplete; fetching it again");
  }
}

async function fetchPass(api: FestivalApi, query: ProgrammeQuery, list: SeenList): Promise<Pass> {
  const { year, signal, onProgress } = query;
  const known = list.records.size;
  const pass: Pass = { sizes: [], nameless: [], isFruitful: false };
  while (isMore(pass.sizes, list.total)) {
    const page = await fetchPage(api, { year, from: pass.sizes.length * PAGE_RECORDS, signal });
    list.total = page.total ?? list.total;
    pass.sizes.push(page.records.length);
    for (const record of page.records) {
      see(readRecord(record, year), list, pass);
      // Reading a page at once would keep requests waiting.
      await yieldToEventLoop();
    }
    onProgress?.({ seen: list.records.size + pass.nameless.length, total: list.total });
  }
  pass.isFruitful = list.records.size > known;
  return pass;
}

function see(record: FestivalRecord, list: SeenList, pass: Pass): void {
  if (record.id !== null) list.records.set(record.id, record);
  else pass.nameless.push(record);
}

const isShort = (size: number) => size < PAGE_RECORDS;
const isFilled = (size: number) => size > 0;

/**
 * Whether there is another page to ask for. A full page is never the last one, whatever the total says. Without a total,
 * the end is a page that is not full and an empty one after it: an empty page alone may be a page that got lost.
 */
function isMore(sizes: number[], total: number | null): boolean {
  if (sizes.length === MOST_PAGES) throw new ProgrammeError("The festival's list does not end.");
  const [last = PAGE_RECORDS, previous = PAGE_RECORDS] = sizes.toReversed();
  if (total === null) return isFilled(last) || !isShort(previous);
  return sizes.length * PAGE_RECORDS < total || !isShort(last);
}

/**
 * Whether all that there is was seen: as many distinct records as the total says. Without a total the last page must be
 * the only short one, and where records came twice, so that others may have slipped by, another pass must bring nothing new.
 */
function isComplete({ sizes, nameless, isFruitful }: Pass, { records, total }: SeenList): boolean {
  const seen = records.size + nameless.length;
  if (total !== null) return seen >= total;
  const hasGap = sizes.findIndex(isShort) < sizes.findLastIndex(isFilled);
  const received = sizes.reduce((sum, size) => sum + size, 0);
  return received > 0 && !hasGap && (seen >= received || !isFruitful);
}

function understand(records: FestivalRecord[]): Programme {
  const shows = records.flatMap((record) => (record.kind === "show" ? [record.show] : []));
  const unlisted = records.flatMap((record) => (record.kind === "unlisted" ? [record.id] : []));
  const bad = records.filter((record) => record.kind === "bad");
  if (bad.length > records.length * TOLERATED_BAD) {
    const [first] = bad;
    const example = `${first?.id ?? "one without an id"}: ${first?.reason}`;
    throw new ProgrammeError(`${bad.length} of ${records.length} records cannot be understood, such as ${example}.`);
  }
  return { shows, unlisted, bad };
}
