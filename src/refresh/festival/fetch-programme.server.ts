import { createCpuThrottle } from "../../lib/cpu-throttle.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type FestivalApi, fetchPage, RECORDS_PER_PAGE } from "./client.server.ts";
import { type FestivalRecord, type FestivalShow, parseRecord } from "./record-parser.server.ts";

const MAX_PASSES = 16;
/** The list counts as stable after this many passes in a row with the same records and total. */
const AGREEING_PASSES = 3;
/** A share of the total, when passes agree (docs/product.md §7.3). */
const TOLERATED_GAP = 0.01;
/** For an API whose list never ends. */
const MAX_PAGES = 200;
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
  /** Ids of the shows that are listed now. */
  listed: readonly string[];
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

interface Pass {
  sizes: number[];
  records: Map<string, FestivalRecord>;
  /** Records without an id cannot be matched between passes. */
  withoutId: FestivalRecord[];
  total: number | null;
  changedTotal: boolean;
}

/** What the passes with one total have sent. */
interface SeenList {
  records: Map<string, FestivalRecord>;
  total: number | null;
  agreeing: number;
}

const emptyList = (total: number | null = null): SeenList => ({ records: new Map(), total, agreeing: 0 });

/**
 * Repeats passes, because pages may shift (docs/product.md §7.3). A list of the right length that lacks a show has
 * another one that left while it was fetched. So shows are gone if the next list has all shows of this one.
 * @throws OperatorError
 */
export async function fetchProgramme(api: FestivalApi, query: ProgrammeQuery): Promise<Programme> {
  let list = emptyList();
  let before: Set<string> | null = null;
  for (let passes = 1; ; passes++) {
    const pass = await fetchPass(api, query);
    const { total } = pass;
    if (total !== list.total || pass.records.size >= (total ?? Number.POSITIVE_INFINITY))
      list = emptyList(total);
    const { size } = list.records;
    for (const [id, record] of pass.records) list.records.set(id, record);
    const foundNew = list.records.size > size;
    list.agreeing = foundNew ? 1 : list.agreeing + 1;
    const records = [...list.records.values(), ...pass.withoutId];
    const seen = records.length;
    const gap = Math.max(0, (total ?? seen) - seen);
    const agree = !pass.changedTotal && list.agreeing === AGREEING_PASSES;
    const isTolerated = agree && total !== null && gap <= total * TOLERATED_GAP;
    const isAccepted = isTolerated || isComplete(pass, seen, foundNew);
    if (isAccepted) {
      const programme = { ...toProgramme(records), gap };
      const present = findPresent(programme);
      if (findMissing(query.listed, programme).length === 0 || before?.isSubsetOf(present)) return programme;
      before = present;
    }
    if (passes === MAX_PASSES || (agree && !isAccepted)) {
      throw new OperatorError(
        `The festival's list stayed incomplete or changed: ${seen} of ${total ?? "an unknown number of"} shows came, in ${passes} tries.`,
      );
    }
    if (isAccepted || pass.changedTotal) list = emptyList();
    if (!isAccepted) api.log.warn({ seen, total }, "The festival's list came incomplete; fetching it again");
  }
}

async function fetchPass(api: FestivalApi, { year, signal, onProgress }: ProgrammeQuery): Promise<Pass> {
  const pass: Pass = { sizes: [], records: new Map(), withoutId: [], total: null, changedTotal: false };
  while (hasNextPage(pass)) {
    const page = await fetchPage(api, { year, from: pass.sizes.length * RECORDS_PER_PAGE, signal });
    const total = page.total ?? pass.total;
    pass.changedTotal ||= pass.total !== null && total !== pass.total;
    pass.total = total;
    pass.sizes.push(page.records.length);
    const throttle = createCpuThrottle();
    for (const json of page.records) {
      const record = parseRecord(json, year);
      if (record.id === null) pass.withoutId.push(record);
      else pass.records.set(record.id, record);
      await throttle();
    }
    onProgress?.({ seen: pass.records.size + pass.withoutId.length, total });
  }
  return pass;
}

const isShort = (size: number) => size < RECORDS_PER_PAGE;
const isFilled = (size: number) => size > 0;

/** A full page is never the last. Without a total, the last page is empty and follows a short one. */
function hasNextPage({ sizes, total }: Pass): boolean {
  if (sizes.length === MAX_PAGES) throw new OperatorError("The festival's list does not end.");
  const [last = RECORDS_PER_PAGE, previous = RECORDS_PER_PAGE] = sizes.toReversed();
  if (total === null) return isFilled(last) || !isShort(previous);
  return sizes.length * RECORDS_PER_PAGE < total || !isShort(last);
}

/** Without a total, only the last page may be short. Records that came twice need one more pass. */
function isComplete({ sizes, total, changedTotal }: Pass, seen: number, foundNew: boolean): boolean {
  if (changedTotal) return false;
  if (total !== null) return seen >= total;
  const hasGap = sizes.findIndex(isShort) < sizes.findLastIndex(isFilled);
  const received = sizes.reduce((sum, size) => sum + size, 0);
  return received > 0 && !hasGap && (seen >= received || !foundNew);
}

function findPresent({ shows, bad }: Programme): Set<string> {
  return new Set([...shows, ...bad].flatMap(({ id }) => id ?? []));
}

/** None if enough unknown records may be theirs (docs/product.md §7.7). */
export function findMissing(listed: readonly string[], programme: Programme): string[] {
  const { unlisted, bad, gap = 0 } = programme;
  const seen = findPresent(programme).union(new Set(unlisted));
  const missing = listed.filter((id) => !seen.has(id));
  return missing.length > bad.filter(({ id }) => id === null).length + gap ? missing : [];
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
