import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { formatShowQuery, parseShowQuery } from "../domain/show-query.ts";
import { createRenderQueue } from "../http/admission/render-queue.server.ts";
import { createResponseCache, type Rendering } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { createPageRenderer, patternOf, type RendererOptions } from "./react-router-handler.server.ts";

interface PageOptions extends RendererOptions {
  /** Told of each page that is refused because there are too many to make. */
  onRefused: () => void;
  /** How long a page of the list may be stale under churn, in ms. */
  maxStale?: number;
}

/**
 * While reviews come in all the time, a page of the list may be this stale, in ms. With the notification and the
 * rendering every instance shows a review within a second. Its writer gets the tallies with the response, and scripts
 * ask the API, which is never stale.
 */
const MAX_STALE = 800;

const contentType = "text/html; charset=utf-8";

/** Stands for every address that is none of ours: the page for them does not say which one was asked for. */
const NOWHERE = "/nowhere";

/** The pages of the site, and the data that React Router asks for by itself. */
export function pageRoutes({ onRefused, maxStale = MAX_STALE, ...options }: PageOptions): Hono {
  const { catalogue } = options;
  const app = new Hono();
  const { run: inTurn, admit } = createRenderQueue({ onRefused });
  const render = createPageRenderer(options);
  const getListPage = createResponseCache({ maxEntries: 300, maxBytes: 32_000_000 });
  // A cache of their own, so that nobody can evict them.
  const getConstantPage = createResponseCache({ maxEntries: 2, maxBytes: 1_000_000 });

  async function sendList(c: Context): Promise<Response> {
    const query = parseShowQuery(new URL(c.req.url).searchParams);
    const search = formatShowQuery(query).toString();
    const address = search ? `/?${search}` : "/";
    const page = await getListPage({
      key: address,
      contentType,
      version: () => catalogue.state().version,
      content: () => ({
        hash: catalogue.find(query).hash,
        render: () => inTurn(async () => readPage(await render(address), 200)),
      }),
      maxStale,
      // What most people ask for is never refused.
      ...(search !== "" && { admit }),
    });
    return sendCached(c, page, { isReplayable: true });
  }

  /** Sends a page that never changes while the process runs. */
  async function sendConstant(c: Context, address: string, status: 200 | 404): Promise<Response> {
    const page = await getConstantPage({
      key: address,
      contentType,
      version: () => 0,
      content: () => ({
        hash: address,
        render: () => inTurn(async () => readPage(await render(address), status)),
      }),
    });
    return sendCached(c, page, { status, isReplayable: status === 200 });
  }

  /** What scripts ask for when they come to a page without a document, such as one that does not exist. */
  function sendData(c: Context, address: string): Promise<Response> {
    admit();
    return inTurn(() => render(address, c.req.raw));
  }

  app.get("/", sendList);
  app.get("/auth", (c) => sendConstant(c, "/auth", 200));
  app.get("*", (c) => {
    const { pathname, search } = addressOf(c);
    if (pathname.endsWith(".data")) return sendData(c, pathname + search);
    const pattern = patternOf(pathname);
    if (pattern === "*") return sendConstant(c, NOWHERE, 404);
    return pattern === "auth" ? sendConstant(c, "/auth", 200) : sendList(c);
  });
  return app;
}

/** @throws HTTPException with the page when its status is another one: it is sent, but never cached */
async function readPage(page: Response, status: number): Promise<Rendering> {
  if (page.status !== status) throw new HTTPException(500, { res: page });
  return { text: await page.text(), policy: page.headers.get("Content-Security-Policy") ?? undefined };
}

/** Path and query. A path that cannot be decoded is none of ours; as it stands, React Router would complain about it in the log. */
function addressOf(c: Context): { pathname: string; search: string } {
  const { pathname, search } = new URL(c.req.url);
  return { pathname: isDecodable(pathname) ? pathname : encodeURI(pathname), search };
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}
