import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { OperatorError } from "../../lib/error-message.ts";
import { type FestivalApi, fetchPage, RECORDS_PER_PAGE } from "./client.server.ts";
import { type FestivalRecord, type FestivalShow, parseRecord } from "./record-parser.server.ts";

const MAX_PASSES = 12;
/** The list counts as stable after this many passes in a row with the same records and total. */
const AGREEING_PASSES = 3;
/** A share of the total, when passes agree (docs/product.md §7.3). */
const TOLERATED_GAP = 0.01;
/** For an API whose list never ends. */
const MAX_PAGES = 1_000;
/** docs/product.md §7.4 */
const TOLERATED_BAD = 0.05;

type BadRecord = Extract<FestivalRecord, { kind: "bad" }>;
type ShowRecord = Extract<FestivalRecord, { kind: "show" }>;

export interface Programme {
  shows: FestivalShow[];
  /** Ids of shows that are marked deleted, or of another year. */
  unlisted: string[];
  /** These count as seen (docs/product.md §7.7). */
  bad: BadRecord[];
  cut: ShowRecord[];
  gap?: number;
}

export interface Progress {
  seen: number;
  total: number | null;
}

export interface ProgrammeQuery {
  year: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

interface SeenList {
  records: Map<string, FestivalRecord>;
  total: number | null;
}

interface Pass {
  sizes: number[];
  /** Records without an id cannot be matched between passes. */
  withoutId: FestivalRecord[];
  foundNew: boolean;
  changedTotal: boolean;
}

/** Repeats passes, because pages may shift (docs/product.md §7.3). @throws OperatorError */
export async function fetchProgramme(api: FestivalApi, query: ProgrammeQuery): Promise<Programme> {
  const list: SeenList = { records: new Map(), total: null };
  for (let passes = 1, agreeing = 0; ; passes++) {
    const pass = await fetchPass(api, query, list);
    const records = [...list.records.values(), ...pass.withoutId];
    if (isComplete(pass, list)) return toProgramme(records);
    agreeing = pass.foundNew || pass.changedTotal ? 1 : agreeing + 1;
    const seen = records.length;
    const gap = (list.total ?? Number.POSITIVE_INFINITY) - seen;
    if (agreeing === AGREEING_PASSES && gap <= (list.total ?? 0) * TOLERATED_GAP)
      return { ...toProgramme(records), gap };
    if (passes === MAX_PASSES || agreeing === AGREEING_PASSES) {
      const total = list.total ?? "an unknown number of";
      throw new OperatorError(
        `The festival's list stayed incomplete: ${seen} of ${total} shows came, in ${passes} tries.`,
      );
    }
    api.log.warn({ seen, total: list.total }, "The festival's list came incomplete; fetching it again");
  }
}

async function fetchPass(api: FestivalApi, query: ProgrammeQuery, list: SeenList): Promise<Pass> {
  const { year, signal, onProgress } = query;
  const before = { size: list.records.size, total: list.total };
  const pass: Pass = { sizes: [], withoutId: [], foundNew: false, changedTotal: false };
  while (hasNextPage(pass.sizes, list.total)) {
    const page = await fetchPage(api, { year, from: pass.sizes.length * RECORDS_PER_PAGE, signal });
    list.total = page.total ?? list.total;
    pass.sizes.push(page.records.length);
    for (const json of page.records) {
      const record = parseRecord(json, year);
      if (record.id === null) pass.withoutId.push(record);
      else list.records.set(record.id, record);
      // Parsing a whole page at once would block the event loop.
      await yieldToEventLoop();
    }
    onProgress?.({ seen: list.records.size + pass.withoutId.length, total: list.total });
  }
  pass.foundNew = list.records.size > before.size;
  pass.changedTotal = list.total !== before.total;
  return pass;
}

const isShort = (size: number) => size < RECORDS_PER_PAGE;
const isFilled = (size: number) => size > 0;

/** A full page is never the last. Without a total, the last page is empty and follows a short one. */
function hasNextPage(sizes: number[], total: number | null): boolean {
  if (sizes.length === MAX_PAGES) throw new OperatorError("The festival's list does not end.");
  const [last = RECORDS_PER_PAGE, previous = RECORDS_PER_PAGE] = sizes.toReversed();
  if (total === null) return isFilled(last) || !isShort(previous);
  return sizes.length * RECORDS_PER_PAGE < total || !isShort(last);
}

/** Without a total, only the last page may be short. Records that came twice need one more pass. */
function isComplete({ sizes, withoutId, foundNew }: Pass, { records, total }: SeenList): boolean {
  const seen = records.size + withoutId.length;
  if (total !== null) return seen >= total;
  const hasGap = sizes.findIndex(isShort) < sizes.findLastIndex(isFilled);
  const received = sizes.reduce((sum, size) => sum + size, 0);
  return received > 0 && !hasGap && (seen >= received || !foundNew);
}

function toProgramme(records: FestivalRecord[]): Programme {
  const showRecords = records.filter((record) => record.kind === "show");
  const unlisted = records.flatMap((record) => (record.kind === "unlisted" ? [record.id] : []));
  const bad = records.filter((record) => record.kind === "bad");
  if (bad.length > records.length * TOLERATED_BAD) {
    const [first] = bad;
    const example = `${first?.id ?? "one without an id"}: ${first?.reason}`;
    throw new OperatorError(
      `${bad.length} of ${records.length} records cannot be understood, such as ${example}.`,
    );
  }
  const shows = showRecords.map(({ show }) => show);
  return { shows, unlisted, bad, cut: showRecords.filter(({ cut }) => cut.length > 0) };
}
