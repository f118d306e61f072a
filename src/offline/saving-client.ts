import { openSavedList } from "../catalogue/saved-list.ts";
import { YEAR } from "../domain/programme.ts";
import type { Tallies } from "../domain/review.ts";
import type { SavedShows, SavedTallies } from "../domain/saved-list-dto.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { isSavingOff, SAVED } from "./saving-switch.ts";

const SHOWS = "/api/offline/shows.json";
const TALLIES = "/api/tallies.json";
const PAGE = "/";

/** In ms, after which they are fetched again. */
const SHOWS_AGE = 12 * 3_600_000;
const TALLIES_AGE = 10 * 60_000;

/** When a document was saved, in ms since 1970. */
const SAVED_AT = "Saved-At";

declare global {
  interface Navigator {
    connection?: { saveData?: boolean };
  }
  interface Window {
    __reactRouterManifest?: { url?: string };
  }
}

/** Of this tab: what is being saved cannot be removed yet. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Saves what is missing or old. Resolves with the time when the list was saved; null if it is not. No network, and
 * storage that is full or blocked, are no failures: the site works as without it.
 */
export function saveList(): Promise<number | null> {
  return afterLast(async () => {
    if (isSavingOff() || navigator.connection?.saveData || !(await register())) return;
    const cache = await caches.open(SAVED);
    await saveDocument(cache, SHOWS, isShows, SHOWS_AGE);
    await saveDocument(cache, TALLIES, isTallies, TALLIES_AGE);
    if (location.pathname === PAGE) await savePage(cache);
  });
}

export function removeSaved(): Promise<number | null> {
  return afterLast(async () => {
    opened = undefined;
    await caches.delete(SAVED);
    await (await navigator.serviceWorker.getRegistration())?.unregister();
  });
}

function afterLast(work: () => Promise<void>): Promise<number | null> {
  const done = last
    .then(work)
    .catch(() => {})
    .then(readSavedAt)
    .catch(() => null);
  last = done;
  return done;
}

async function register(): Promise<boolean> {
  return Boolean(await navigator.serviceWorker.register("/worker.js"));
}

async function readSavedAt(): Promise<number | null> {
  if (!(await caches.has(SAVED))) return null;
  const cache = await caches.open(SAVED);
  const [page, shows, tallies] = await Promise.all([PAGE, SHOWS, TALLIES].map((path) => cache.match(path)));
  return page && shows ? savedAtOf(tallies ?? shows) : null;
}

function savedAtOf(response: Response | undefined): number {
  return Number(response?.headers.get(SAVED_AT) ?? 0);
}

/** In the future, too: the clock may have been set back. */
function isRecent(saved: Response | undefined, maxAge: number): boolean {
  return Math.abs(Date.now() - savedAtOf(saved)) < maxAge;
}

/** Never a captive portal's page. */
async function saveDocument(
  cache: Cache,
  path: string,
  isOurs: (body: unknown) => boolean,
  maxAge: number,
): Promise<void> {
  if (isRecent(await cache.match(path), maxAge)) return;
  const response = await fetch(path);
  const text = await response.text();
  if (!response.ok || !isOurs(JSON.parse(text))) throw new Error(`${path} is not the site's`);
  await cache.put(path, new Response(text, { headers: { [SAVED_AT]: String(Date.now()) } }));
  opened = undefined;
}

/**
 * Saves the start page with the files that this page has loaded, as one set: a page of another build, or of a
 * captive portal, is not saved. What the last set alone has goes.
 */
async function savePage(cache: Cache): Promise<void> {
  const build = window.__reactRouterManifest?.url ?? "";
  const saved = await cache.match(PAGE);
  if (isRecent(saved, TALLIES_AGE) && (await saved?.text())?.includes(build)) return;
  const response = await fetch(PAGE);
  const html = await response.text();
  if (!response.ok || !build || !html.includes(build)) return;
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  const named = html.match(/\/assets\/[\w.-]+\.(js|css)/g) ?? [];
  const files = new Set([...loaded.filter((path) => path.startsWith("/assets/")), ...named]);
  for (const file of files) if (!(await cache.match(file))) await cache.add(file);
  const headers = new Headers(response.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  headers.set(SAVED_AT, String(Date.now()));
  // By which the page knows that it comes from here.
  await cache.put(PAGE, new Response(html.replace("<html ", '<html data-saved="" '), { headers }));
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname.startsWith("/assets/") && !files.has(pathname)) await cache.delete(pathname);
  }
}

// The columns that this version of the site reads: what another one has saved may lack some.

function isShows(body: unknown): body is SavedShows {
  return hasColumns(
    body,
    ...["id", "title", "website", "artist", "venue_name", "genre", "description", "status", "announced"],
  );
}

function isTallies(body: unknown): body is SavedTallies {
  return hasColumns(body, "id_start", "no", "very_little", "yes", "latest_on");
}

function hasColumns(body: unknown, ...names: string[]): boolean {
  const columns = Object(body);
  return columns.year === YEAR && names.every((name) => Array.isArray(columns[name]));
}

/** Until this tab saves another one: opening it takes longer than many searches. */
let opened: { seenAt: number; list: ReturnType<typeof openSavedList> } | undefined;

/** What a tab has loaded after a time, in ms since 1970. */
export type TalliesSince = (time: number) => Iterable<[showId: string, Tallies]>;

/** Undefined without a saved list. @throws when a part of it is not there any more */
export async function findSaved(query: ShowQuery, talliesSince: TalliesSince) {
  opened ??= await openList();
  if (!opened) return undefined;
  const { list, seenAt } = opened;
  for (const [showId, tallies] of talliesSince(seenAt)) list.setTallies(showId, tallies);
  return { list: list.find(query), seenAt };
}

async function openList() {
  const seenAt = await readSavedAt();
  if (seenAt === null) return undefined;
  const cache = await caches.open(SAVED);
  const [shows, tallies] = await Promise.all(
    [SHOWS, TALLIES].map(async (path) => (await cache.match(path))?.json()),
  );
  if (!isShows(shows)) return undefined;
  return { seenAt, list: openSavedList(shows, isTallies(tallies) ? tallies : null) };
}
