import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Logger } from "pino";
import { matchRoutes } from "react-router";
import { BrokenPageError, type createPageRenderer } from "../app/render-page.server.tsx";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { describeOutage } from "../database/errors.server.ts";
import type { NotesPage } from "../domain/notes-dto.ts";
import { outcomeTexts, reportOutcomes } from "../domain/report.ts";
import { formatShowQuery, parseShowQuery, type ShowQuery, wholeList } from "../domain/show-query.ts";
import { createWorkQueue } from "../http/admission/queue.server.ts";
import {
  type CachedResponse,
  createResponseCache,
  type Rendering,
  type Source,
} from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { type CountRequest, checkRate } from "../http/clients/rate-limit.server.ts";
import { TimeoutError, withTimeout } from "../lib/bounded-wait.ts";
import { digestOf } from "../lib/hash.server.ts";
import type { NotesCache } from "../reviews/api/notes-cache.server.ts";
import type { NotesQuery } from "../reviews/store/visible-notes.server.ts";
import type { FoundList } from "../shows/load-list.ts";
import { busyPage, createBusyPage, notesUnavailable } from "./refusals.server.ts";
import { routes } from "./routes.server.ts";

interface PageOptions {
  render: ReturnType<typeof createPageRenderer>;
  /** The Content-Security-Policy. */
  policy: string;
  catalogue: Catalogue;
  notes: NotesCache;
  log: Logger;
  maxStale?: number | undefined;
  clientOf: (c: Context) => string;
  countRendering: CountRequest;
}

/** In ms. Leaves time for notification and rendering: instances show a review within a second (§2.19). */
const MAX_STALE = 800;

const contentType = "text/html; charset=utf-8";

const pagePaths = routes.filter(({ handler }) => handler === "pages").map(({ path }) => path);

/** A rendering takes milliseconds of the only thread. */
const renderLimits = { places: 1, room: 1_000, maxWait: 300, minLength: 8, pauseTicks: 16, timeout: 5_000 };

/** Matched as a browser's router does, in every spelling. */
const patterns = pagePaths.map((path) => ({ path, caseSensitive: true }));

/** Any other address. */
const ELSEWHERE = "/*";

/** One page for all unknown shows: no show has this id. */
const unknownShow = { ...wholeList, show: "" };

/** In ms. Later, the page of a show is sent without notes. */
const NOTES_TIMEOUT = 500;

/** In ms. Longer, because such a page has only notes, and shorter than the two seconds of proxies. */
const NOTES_PAGE_TIMEOUT = 1_500;

/** `sendUnknown` sends the page of an address that has no route. */
export function createPages(options: PageOptions) {
  const { render, policy, catalogue, notes, log, maxStale = MAX_STALE } = options;
  const { clientOf, countRendering } = options;
  const inTurn = createWorkQueue({ ...renderLimits, refusal: busyPage });
  const lists = { maxEntries: 300, contentType, version: () => catalogue.state().version, maxStale };
  // Both versions only grow.
  const withNotes = { ...lists, version: () => catalogue.state().version + notes.version() };
  /** Separate: anybody can request more searches than a cache has entries. */
  const caches = {
    list: createResponseCache({ ...lists, maxBytes: 32_000_000 }),
    search: createResponseCache({ ...lists, maxBytes: 32_000_000 }),
    show: createResponseCache({ ...withNotes, maxBytes: 16_000_000 }),
    notes: createResponseCache({ ...withNotes, maxEntries: 100, maxBytes: 8_000_000 }),
    constant: createResponseCache({ maxEntries: 5, maxBytes: 1_000_000, contentType, version: () => 0 }),
  };

  async function renderPage(address: string, found?: FoundList): Promise<Rendering> {
    try {
      return { text: await render(address, found) };
    } catch (error) {
      if (!(error instanceof BrokenPageError)) throw error;
      log.error({ err: error.cause, path: address }, error.message);
      const headers = { "Content-Type": contentType, "Content-Security-Policy": policy };
      throw new HTTPException(500, { res: new Response(error.html, { status: 500, headers }) });
    }
  }

  function sendPage(c: Context, page: CachedResponse, status: 200 | 404 = 200): Promise<Response> {
    c.header("Content-Security-Policy", policy);
    return sendCached(c, page, { status, isCacheable: status === 200 });
  }

  /** For the start page, which most visitors request, and for pages that are rendered once. */
  const first = { inTurn: <T>(work: () => Promise<T>) => inTurn(null, work, true) };

  /** A page that was rendered before is never refused. */
  const inTurnOf = (c: Context): Pick<Source, "client" | "onMiss" | "inTurn"> => {
    const client = clientOf(c);
    return {
      client,
      onMiss: async () => checkRate(c, countRendering, (wait) => createBusyPage(429, wait)),
      inTurn: (work, isMiss) => inTurn(client, work, !isMiss),
    };
  };

  async function sendList(c: Context): Promise<Response> {
    const params = new URL(c.req.url).searchParams;
    const query = parseShowQuery(params);
    if (query.show !== undefined) return sendShow(c, query, query.show, params.get("report"));
    const search = formatShowQuery(query).toString();
    const address = search ? `/?${search}` : "/";
    const getPage = query.search === "" ? caches.list : caches.search;
    const page = await getPage({
      key: address,
      content() {
        const { page: list, hash } = catalogue.find(query);
        return { hash, render: () => renderPage(address, { query, list }) };
      },
      ...(search === "" ? first : inTurnOf(c)),
    });
    return sendPage(c, page);
  }

  /** @param report the outcome of a report, if its form led to the page (docs/product.md §2.21, §4.8) */
  async function sendShow(c: Context, query: ShowQuery, id: string, report: string | null) {
    // Not 404: a search engine would drop the page.
    if (!catalogue.state().loaded) throw busyPage;
    const whole = catalogue.wholeId(id);
    // Not 308: a show that is added later may begin alike.
    if (whole !== undefined && whole !== id)
      return c.redirect(`/?${formatShowQuery({ ...query, show: whole })}`);
    if (whole === undefined)
      return sendConstant(c, "/", 404, () => ({
        query: unknownShow,
        list: catalogue.find(unknownShow).page,
      }));
    const reportOutcome = reportOutcomes.find((outcome) => outcome === report);
    const getPage = query.notes ? caches.notes : caches.show;
    const page = await getPage({
      key: JSON.stringify([id, query.notes, query.page, reportOutcome]),
      async content() {
        const { page: list, hash } = catalogue.find(query);
        const { notes: interaction, page: number } = query;
        const shown = interaction
          ? await readNotesPage(notes, { showId: id, interaction, page: number })
          : await readNotes(notes, id);
        const reportMessage = reportOutcome && outcomeTexts[reportOutcome];
        const found = { query, list, reportMessage, ...shown };
        return {
          hash: digestOf(JSON.stringify([hash, catalogue.get(id)?.metadata, shown, reportOutcome])),
          render: () => renderPage(`/?${formatShowQuery(query)}`, found),
        };
      },
      ...inTurnOf(c),
    });
    return sendPage(c, page);
  }

  async function sendConstant(c: Context, address: string, status: 200 | 404, find?: () => FoundList) {
    const page = await caches.constant({
      key: address,
      content: () => ({ hash: address, render: () => renderPage(address, find?.()) }),
      ...first,
    });
    return sendPage(c, page, status);
  }

  async function sendUnknown(c: Context): Promise<Response> {
    const { pathname, search } = new URL(c.req.url);
    const path = isDecodable(pathname) && matchRoutes(patterns, pathname)?.[0]?.route.path;
    if (!path) return sendConstant(c, ELSEWHERE, 404);
    if (path === "/") return sendList(c);
    return pathname.endsWith("/") ? c.redirect(path + search, 308) : sendConstant(c, path, 200);
  }

  const app = new Hono();
  for (const path of pagePaths) app.get(path, path === "/" ? sendList : (c) => sendConstant(c, path, 200));
  return { routes: app, sendUnknown };
}

async function readNotes(notes: NotesCache, id: string): Promise<Pick<FoundList, "notes">> {
  try {
    const newest = (await withTimeout(NOTES_TIMEOUT, notes.get([id]))).get(id) ?? "";
    return { notes: { [id]: JSON.parse(newest) } };
  } catch {
    // Outdates the page without notes: the next request tries again.
    notes.invalidate(id);
    return {};
  }
}

/** @throws HTTPException with a page during an outage */
async function readNotesPage(notes: NotesCache, query: NotesQuery): Promise<{ notesPage: NotesPage }> {
  try {
    return { notesPage: await withTimeout(NOTES_PAGE_TIMEOUT, notes.page(query)) };
  } catch (error) {
    if (!(error instanceof TimeoutError) && describeOutage(error) === null) throw error;
    const { status, headers, html } = notesUnavailable;
    throw new HTTPException(status, { res: new Response(html, { status, headers }) });
  }
}

/** React Router would log an error for an undecodable path. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}
