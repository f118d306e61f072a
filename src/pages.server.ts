import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { readShowQuery, writeShowQuery } from "./domain/show-query.ts";
import { type Answer, createAnswerCache, type Rendering, type Source } from "./http/answer-cache.server.ts";
import { createQueue } from "./http/overload-queue.server.ts";
import { sendAnswer } from "./http/send-answer.server.ts";
import { createPageRenderer, patternOf, type RendererOptions } from "./page-renderer.server.ts";
import { RenderedPage } from "./rendered-page.server.ts";

interface PageOptions extends RendererOptions {
  /** Keeps what changes with the catalogue. */
  answer: (source: Source) => Promise<Answer>;
  /** Told of each page that is refused because there are too many to make. */
  onRefused: () => void;
  /** How far a page may be behind, in ms. */
  lag?: number;
}

/**
 * How far a page of the list may be behind while reviews come in all the time, in ms: it would be rendered for each of them, and everybody
 * would wait. Whoever writes one is told its tallies, and scripts ask the API, which is never behind.
 */
const LAG = 800;

const contentType = "text/html; charset=utf-8";

/** Stands for every address that is none of ours: the page for them does not say which one was asked for. */
const NOWHERE = "/nowhere";

/** The pages of the site, and the data that React Router asks for by itself. */
export function pageRoutes({ answer, onRefused, lag = LAG, ...options }: PageOptions): Hono {
  const { catalogue } = options;
  const app = new Hono();
  const { inTurn, admit } = createQueue({ onRefused });
  const render = createPageRenderer(options);
  // Their own, so that nobody can push them out.
  const answerUnchanging = createAnswerCache({ answers: 2, bytes: 1_000_000 });

  async function sendList(c: Context): Promise<Response> {
    const query = readShowQuery(new URL(c.req.url).searchParams);
    const search = writeShowQuery(query).toString();
    const address = search ? `/?${search}` : "/";
    const { version } = catalogue.state();
    const page = await answer({
      key: address,
      version,
      admit,
      content: () => catalogue.find(query).hash,
      render: () => inTurn(async () => read(await render(address), 200)),
      contentType,
      isRare: query.search !== "",
      lag,
    });
    const isCurrent = () =>
      performance.now() < page.standsUntil || (!page.isBehind && catalogue.state().version === version);
    return sendAnswer(c, page, { isCurrent });
  }

  /** Sends a page that never changes while the process runs. */
  async function sendUnchanging(c: Context, address: string, status: 200 | 404): Promise<Response> {
    const page = await answerUnchanging({
      key: address,
      version: 0,
      content: () => address,
      render: () => inTurn(async () => read(await render(address), status)),
      contentType,
    });
    return sendAnswer(c, page, { status, isCurrent: () => true });
  }

  /** What scripts ask for when they come to a page without a document, such as one that does not exist. */
  function sendData(c: Context, address: string): Promise<Response> {
    admit();
    return inTurn(() => render(address, c.req.raw));
  }

  app.get("/", sendList);
  app.get("/auth", (c) => sendUnchanging(c, "/auth", 200));
  app.get("*", (c) => {
    const { pathname, search } = addressOf(c);
    if (pathname.endsWith(".data")) return sendData(c, pathname + search);
    const pattern = patternOf(pathname);
    if (pattern === "*") return sendUnchanging(c, NOWHERE, 404);
    return pattern === "auth" ? sendUnchanging(c, "/auth", 200) : sendList(c);
  });
  return app;
}

/** @throws HTTPException with the page when it is another one than was to be rendered: that is sent, never kept */
function read(page: Response, status: number): Rendering {
  const isRendered = page instanceof RenderedPage;
  if (isRendered && page.status === status) return page.rendering;
  throw new HTTPException(500, { res: isRendered ? page.whole() : page });
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
