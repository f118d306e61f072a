import { withTimeLimit } from "../browser/requests/api-request-client.ts";
import { openSavedList } from "../catalogue/offline-search.ts";
import { type SavedShows, type SavedTallies, savedColumns } from "../domain/offline-dto.ts";
import { YEAR } from "../domain/programme.ts";
import type { Tallies } from "../domain/review.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { OURS } from "../lib/responses.ts";
import { OFFERED, SAVED as SAVED_PAGE } from "./saved-page.ts";
import { isSavingOff } from "./saving-switch.ts";

/** The start of names in Cache Storage; the build follows. Such a cache has the list, the page and its files. */
const SAVED = "front-row-saved";
const SHOWS = "/api/offline/shows.json";
const TALLIES = "/api/tallies.json";
const PAGE = "/";
/** Links on the saved page lead there (docs/product.md §6.3). */
const LINKED = ["/auth", "/terms", "/privacy"];

/** In ms. Texts and tallies of this age are fetched again, and the page as often as the tallies. */
const SHOWS_AGE = 12 * 3_600_000;
const TALLIES_AGE = 10 * 60_000;

/** In ms. Other tabs wait while one saves. */
const MAX_SAVING = 5 * 60_000;

/** The header that records when a response was saved, in ms since 1970. */
const SAVED_AT = "Saved-At";

declare global {
  interface Navigator {
    connection?: { saveData?: boolean };
  }
}

/** When the list was saved, in ms since 1970; null if it is not, `off` if the site has switched saving off. */
export type Saved = number | null | "off";

/** Aborts what this tab is saving. */
let stop = new AbortController();

// A hidden tab stops, too, when another tab turns saving off.
window.addEventListener("storage", () => {
  if (isSavingOff()) void removeSaved();
});

/**
 * By path, in ms since 1970. If this tab cannot save a response, because storage is full, it waits for its age limit
 * before it fetches it again.
 */
const fetchedAt = new Map<string, number>();

/**
 * Saves what is missing or old, as one set for the server's current build. Without a network, or with full or blocked
 * storage, it saves nothing, and the site works as before.
 */
export async function saveList(): Promise<Saved> {
  const signal = withTimeLimit(stop.signal, MAX_SAVING);
  try {
    const isWanted = !isSavingOff() && !navigator.connection?.saveData;
    const isOff = isWanted && (await navigator.locks.request(SAVED, { signal }, () => saveSet(signal)));
    if (isOff) return "off";
  } catch (error) {
    if (!isLost(error, signal)) fetchedAt.set(PAGE, Date.now());
  }
  const savedAt = await readSavedAt().catch(() => null);
  if (opened?.seenAt !== savedAt) opened = undefined;
  return savedAt;
}

/** Deletes at once, even while a tab is saving: a deleted cache cannot be found again, also if a tab has it open. */
export async function removeSaved(): Promise<null> {
  stop.abort();
  stop = new AbortController();
  opened = undefined;
  fetchedAt.clear();
  try {
    await deleteSets();
    await (await navigator.serviceWorker.getRegistration())?.unregister();
  } catch {}
  return null;
}

async function deleteSets(kept?: string): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(SAVED) && name !== kept) await caches.delete(name);
}

/**
 * A set is a cache with the start page, all files of its build, the documents and the linked pages. The start page is
 * saved last: a set with it is complete. Only then are the sets of other builds deleted. Resolves with whether saving
 * is switched off.
 */
async function saveSet(signal: AbortSignal): Promise<boolean> {
  if (isSavingOff() || isRecent(fetchedAt.get(PAGE), TALLIES_AGE) || (await isUpToDate())) return false;
  const response = await fetch(PAGE, { signal });
  const html = await response.text();
  const build = buildOf(html);
  if (!isOurs(response) || !build || !html.includes("</html>")) return false;
  const marked = html.replace(` ${OFFERED}=`, ` ${SAVED_PAGE}=`);
  // The page does not offer saving: the site has switched it off.
  if (marked === html) {
    await removeSaved();
    return true;
  }
  if (!(await navigator.serviceWorker.register("/worker.js"))) return false;
  const list = await fetch(`/assets/files-${build}.json`, { signal });
  if (!isOurs(list)) return false;
  const files: Record<string, string> = await list.json();
  signal.throwIfAborted();
  const name = nameOf(build);
  const cache = await caches.open(name);
  try {
    for (const [file, integrity] of Object.entries(files))
      if (!(await cache.match(file))) await cache.add(new Request(file, { integrity, signal }));
    const save = (path: string, isUsable: (text: string) => boolean, maxAge: number) =>
      saveOne({ cache, path, isUsable, maxAge, signal });
    await save(SHOWS, (text) => isShows(JSON.parse(text)), SHOWS_AGE);
    await save(TALLIES, (text) => isTallies(JSON.parse(text)), TALLIES_AGE);
    // A page without scripts does not name its build.
    const isLinked = (page: string) => page.includes("</html>") && (buildOf(page) ?? build) === build;
    for (const path of LINKED) await save(path, isLinked, SHOWS_AGE);
    await put(cache, PAGE, marked, response.headers);
    fetchedAt.set(PAGE, Date.now());
    await deleteSets(name);
  } catch (error) {
    if (!isLost(error, signal) && !(await cache.match(PAGE))) await caches.delete(name);
    throw error;
  }
  return false;
}

/** After a lost connection, the next save continues. After another failure, an incomplete set is deleted. */
const isLost = (error: unknown, signal: AbortSignal) => error instanceof TypeError || signal.aborted;

/** False for a captive portal's page, also in JSON. */
const isOurs = ({ ok, headers }: Response) => ok && headers.has(OURS);

function buildOf(text: string): string | undefined {
  return /<html[^>]* data-build="([\w-]+)"/.exec(text)?.[1];
}

const nameOf = (build: string) => `${SAVED}-${build}`;

/** Another tab, or an earlier page, may have saved the list. */
async function isUpToDate(): Promise<boolean> {
  const { build } = document.documentElement.dataset;
  const savedAt = savedAtOf(await caches.match(PAGE));
  if (!build || !isRecent(savedAt, TALLIES_AGE) || !(await caches.has(nameOf(build)))) return false;
  if (!(await readDocuments())) return false;
  fetchedAt.set(PAGE, savedAt ?? 0);
  return true;
}

interface Part {
  cache: Cache;
  path: string;
  isUsable: (text: string) => boolean;
  maxAge: number;
  signal: AbortSignal;
}

async function saveOne({ cache, path, isUsable, maxAge, signal }: Part): Promise<void> {
  const saved = await cache.match(path);
  if (saved && isRecent(savedAtOf(saved), maxAge) && isUsable(await saved.text())) return;
  if (isRecent(fetchedAt.get(path), maxAge)) throw new Error(`${path} could not be saved before`);
  const response = await fetch(path, { signal });
  const text = await response.text();
  if (!isOurs(response) || !isUsable(text)) throw new Error(`${path} is not for this build`);
  fetchedAt.set(path, Date.now());
  await put(cache, path, text, response.headers);
  fetchedAt.delete(path);
}

async function put(cache: Cache, path: string, text: string, given: Headers): Promise<void> {
  const headers = new Headers(given);
  for (const header of ["Content-Encoding", "Content-Length"]) headers.delete(header);
  headers.set(SAVED_AT, String(Date.now()));
  await cache.put(path, new Response(text, { headers }));
}

/** The time of the tallies, which change most often. */
async function readSavedAt(): Promise<number | null> {
  const [page, tallies] = await Promise.all([PAGE, TALLIES].map((path) => caches.match(path)));
  return page ? (savedAtOf(tallies) ?? null) : null;
}

function savedAtOf(response: Response | undefined): number | undefined {
  return response ? Number(response.headers.get(SAVED_AT)) : undefined;
}

/** False for times in the far future, too: the clock may have been set back. */
function isRecent(time = 0, maxAge: number): boolean {
  return Math.abs(Date.now() - time) < maxAge;
}

async function readDocuments() {
  const [shows, tallies] = await Promise.all(
    [SHOWS, TALLIES].map(async (path) => (await caches.match(path))?.json()),
  );
  return isShows(shows) && isTallies(tallies) ? { shows, tallies } : undefined;
}

// Checks the columns that this build reads. Another build's saved documents may lack some.

function isShows(body: unknown): body is SavedShows {
  return hasColumns(body, ...savedColumns, "phrases", "warnings");
}

function isTallies(body: unknown): body is SavedTallies {
  return hasColumns(body, "id_start", "no", "very_little", "yes", "latest_on");
}

function hasColumns(body: unknown, ...names: string[]): boolean {
  const columns = Object(body);
  return columns.year === YEAR && names.every((name) => Array.isArray(columns[name]));
}

/** Kept until the saved list changes: opening it takes longer than many searches. */
let opened: { seenAt: number; list: ReturnType<typeof openSavedList> } | undefined;

/** Returns the tallies that a tab has loaded after a time in ms since 1970. */
export type TalliesSince = (time: number) => Iterable<[showId: string, Tallies]>;

/** Undefined without a saved list, or if it lacks the show. @throws if a part of the list is missing */
export async function findSaved(query: ShowQuery, talliesSince: TalliesSince) {
  opened ??= await openList();
  if (!opened) return undefined;
  const { list, seenAt } = opened;
  for (const [showId, tallies] of talliesSince(seenAt)) list.setTallies(showId, tallies);
  const found = list.find(query);
  // The list has no shows of earlier years.
  return query.show !== undefined && found.total === 0 ? undefined : { list: found, seenAt };
}

async function openList() {
  const [seenAt, documents] = await Promise.all([readSavedAt(), readDocuments()]);
  return seenAt !== null && documents
    ? { seenAt, list: openSavedList(documents.shows, documents.tallies) }
    : undefined;
}
