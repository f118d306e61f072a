import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { FoundList, Site } from "../app/loader-context.server.ts";
import { describeOutage } from "../database/errors.server.ts";
import type { NotesPage } from "../domain/notes-dto.ts";
import { outcomeTexts, reportOutcomes } from "../domain/report.ts";
import type { Interaction } from "../domain/review.ts";
import { formatShowQuery, parseShowQuery, type ShowQuery } from "../domain/show-query.ts";
import { createResponseCache, type Rendering } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { type CountRequest, checkRate } from "../http/clients/rate-limit.server.ts";
import { createRenderQueue } from "../http/load-shedding/render-queue.server.ts";
import { TimeoutError, withTimeout } from "../lib/bounded-wait.ts";
import { digestOf } from "../lib/hash.server.ts";
import type { NotesCache } from "../reviews/api/notes-cache.server.ts";
import { busyPage, createBusyPage, notesUnavailable } from "./load-shedding.server.ts";
import { createPageRenderer, patternOf } from "./react-router-handler.server.ts";

interface PageOptions {
  site: Site;
  notes: NotesCache;
  onRefused: () => void;
  maxStale?: number | undefined;
  clientOf: (c: Context) => string;
  countRendering: CountRequest;
}

/** In ms. Leaves time for notification and rendering: instances show a review within a second (§2.19). */
const MAX_STALE = 800;

const contentType = "text/html; charset=utf-8";

const constantPages = ["auth", "terms", "privacy"];

const NOT_FOUND = "/nowhere";

/** Rendered once for all unknown shows: no show has this id. */
const UNKNOWN_SHOW = "/?show=-";

/** In ms. Later, the page of a show is sent without notes. */
const NOTES_TIMEOUT = 500;

/** In ms. Longer, because such a page has only notes, and shorter than the two seconds of proxies. */
const NOTES_PAGE_TIMEOUT = 1_500;

export function pageRoutes(options: PageOptions): Hono {
  const { site, notes, onRefused, maxStale = MAX_STALE, clientOf, countRendering } = options;
  const { catalogue } = site;
  const app = new Hono();
  const { run: renderQueued, shedLoad } = createRenderQueue({ onRefused, refusal: busyPage });
  const render = createPageRenderer(site);
  // Separate caches: anybody can request more searches than a cache has entries.
  const lists = { maxEntries: 300, contentType, version: () => catalogue.state().version, maxStale };
  const getListPage = createResponseCache({ ...lists, maxBytes: 32_000_000 });
  const getSearchPage = createResponseCache({ ...lists, maxBytes: 32_000_000 });
  // Both versions only grow.
  const withNotes = { ...lists, version: () => catalogue.state().version + notes.version() };
  const getShowPage = createResponseCache({ ...withNotes, maxBytes: 16_000_000 });
  const getNotesPage = createResponseCache({ ...withNotes, maxEntries: 100, maxBytes: 8_000_000 });
  const getConstantPage = createResponseCache({
    maxEntries: 5,
    maxBytes: 1_000_000,
    contentType,
    version: () => 0,
  });

  /** @param client null for a page that comes first */
  function renderPage(client: string | null, status: number, address: string, found?: FoundList) {
    return renderQueued(client, async () => readPage(await render(address, found), status));
  }

  async function limitRendering(c: Context): Promise<void> {
    checkRate(c, countRendering, (wait) => createBusyPage(429, wait));
    shedLoad(clientOf(c));
  }

  async function sendList(c: Context): Promise<Response> {
    const params = new URL(c.req.url).searchParams;
    const query = parseShowQuery(params);
    if (query.show !== undefined) return sendShow(c, query, query.show, params.get("report"));
    const search = formatShowQuery(query).toString();
    const address = search ? `/?${search}` : "/";
    // Most visitors request the start page: it is never refused and comes first.
    const isStart = search === "";
    const getPage = query.search === "" ? getListPage : getSearchPage;
    const page = await getPage({
      key: address,
      content() {
        const { page: list, hash } = catalogue.find(query);
        return {
          hash,
          render: () => renderPage(isStart ? null : clientOf(c), 200, address, { query, list }),
        };
      },
      ...(!isStart && { onMiss: () => limitRendering(c) }),
    });
    return sendCached(c, page, { isCacheable: true });
  }

  /** @param report the outcome of a report, if its form led to the page (docs/product.md §2.21, §4.8) */
  async function sendShow(c: Context, query: ShowQuery, id: string, report: string | null) {
    // Not 404: a search engine would drop the page.
    if (!catalogue.state().loaded) throw busyPage;
    if (!catalogue.has(id)) return sendConstant(c, UNKNOWN_SHOW, 404);
    const reportOutcome = reportOutcomes.find((outcome) => outcome === report);
    const getPage = query.notes ? getNotesPage : getShowPage;
    const page = await getPage({
      key: JSON.stringify([id, query.notes, query.page, reportOutcome]),
      async content() {
        const { page: list, hash } = catalogue.find(query);
        const shown = query.notes
          ? { notesPage: await readNotesPage(id, query.notes, query.page) }
          : await readNotes(id);
        const reportMessage = reportOutcome && outcomeTexts[reportOutcome];
        const found = { query, list, reportMessage, ...shown };
        return {
          hash: digestOf(JSON.stringify([hash, catalogue.get(id)?.metadata, shown, reportOutcome])),
          render: () => renderPage(clientOf(c), 200, `/?${formatShowQuery(query)}`, found),
        };
      },
      onMiss: () => limitRendering(c),
    });
    return sendCached(c, page, { isCacheable: true });
  }

  async function readNotes(id: string): Promise<Pick<FoundList, "notes" | "noteTotals">> {
    try {
      // Before the notes, because this query reads both.
      const counting = withTimeout(NOTES_TIMEOUT, notes.totals(id)).catch(notes.outdate);
      const newest = (await withTimeout(NOTES_TIMEOUT, notes.get([id]))).get(id) ?? "";
      const noteTotals = await counting;
      return { notes: { [id]: JSON.parse(newest) }, ...(noteTotals && { noteTotals }) };
    } catch {
      // Outdates the page without notes: the next request tries again.
      notes.invalidate(id);
      return {};
    }
  }

  /** @throws HTTPException with a page during an outage */
  async function readNotesPage(showId: string, interaction: Interaction, page: number): Promise<NotesPage> {
    try {
      return await withTimeout(NOTES_PAGE_TIMEOUT, notes.page({ showId, interaction, page }));
    } catch (error) {
      if (!(error instanceof TimeoutError) && describeOutage(error) === null) throw error;
      const { status, headers, html } = notesUnavailable;
      throw new HTTPException(status, { res: new Response(html, { status, headers }) });
    }
  }

  async function sendConstant(c: Context, address: string, status: 200 | 404): Promise<Response> {
    const page = await getConstantPage({
      key: address,
      content: () => ({ hash: address, render: () => renderPage(null, status, address) }),
    });
    return sendCached(c, page, { status, isCacheable: status === 200 });
  }

  app.get("/", sendList);
  for (const pattern of constantPages) app.get(`/${pattern}`, (c) => sendConstant(c, `/${pattern}`, 200));
  app.get("*", async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const pattern = isDecodable(pathname) ? patternOf(pathname) : "*";
    if (pattern === "*") return sendConstant(c, NOT_FOUND, 404);
    if (!constantPages.includes(pattern)) return sendList(c);
    return pathname.endsWith("/")
      ? c.redirect(`/${pattern}${search}`, 308)
      : sendConstant(c, `/${pattern}`, 200);
  });
  return app;
}

/** @throws HTTPException with a page of another status: it is sent, but not cached */
async function readPage(page: Response, status: number): Promise<Rendering> {
  if (page.status !== status) throw new HTTPException(500, { res: page });
  return { text: await page.text(), policy: page.headers.get("Content-Security-Policy") ?? undefined };
}

/** React Router would log an error for an undecodable path. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}
