import { isDeepStrictEqual } from "node:util";
import { apiHeaders, type Programme, readPage } from "../dev/harness/programme.ts";
import type { Figures } from "./goals.ts";
import {
  type Contender,
  type Effort,
  type Load,
  perSecond,
  ratio,
  saturating,
  type Target,
  takeTurns,
} from "./load.ts";
import { measureRendering } from "./measure-rendering.ts";
import { newQueries } from "./queries.ts";
import { recordFor, startRival } from "./rivals/start.ts";

export const firstPage: Load = { headers: { "accept-encoding": "br" }, nextPath: () => "/" };
export const firstApiPage: Load = { headers: apiHeaders, nextPath: () => "/api/shows" };

/** `GET /api/shows`, with queries never asked before. */
export function newApiQueries(texts: readonly string[]): Load {
  const next = newQueries(texts);
  return { headers: apiHeaders, nextPath: () => `/api/shows?${next()}` };
}

/** Pages of queries never asked before, uncompressed. */
export function newPages(texts: readonly string[]): Load {
  const next = newQueries(texts);
  // With more connections pages would be refused, because they wait for each other to be rendered.
  return { headers: { "accept-encoding": "identity" }, nextPath: () => `/?${next()}`, connections: 4 };
}

/** Goals 1 to 4: reads, as many as each server can answer. */
export async function measureReads(
  product: Target,
  { programme, databaseUrl }: { programme: Programme; databaseUrl: string },
  effort: Effort,
  running: AsyncDisposableStack,
): Promise<Figures> {
  const bare = await startRival("bare", databaseUrl, running);
  const goodSql = await startRival("good-sql", databaseUrl, running);
  const specification = await startRival("specification", databaseUrl, running);
  const { texts } = programme;
  await requireAgreement(product, goodSql, newQueries(texts, 2));

  /** The product in turn with a server that has its recorded responses, and with another. */
  async function compare(
    recorder: typeof bare,
    load: () => Load,
    recorded: number,
    others: readonly Contender[] = [],
  ): Promise<{ own: Contender; rival: Contender }> {
    await recordFor(recorder, product.origin, load(), recorded);
    const [own, rival] = [saturating(product, load()), saturating(recorder, load())];
    await takeTurns([own, rival, ...others], effort);
    return { own, rival };
  }

  const page = await compare(bare, () => firstPage, 1);
  const api = await compare(bare, () => firstApiPage, 1);
  const sql = saturating(goodSql, newApiQueries(texts));
  const queries = await compare(bare, () => newApiQueries(texts), 300, [sql]);
  const views = saturating(product, viewsOf(programme, apiHeaders, "/api/shows", apiReviews));
  const specified = saturating(
    specification,
    viewsOf(programme, {}, "/shows", () => "/reviews"),
  );
  await takeTurns([views, specified], effort);

  const share = ({ own, rival }: { own: Contender; rival: Contender }) => ({
    value: ratio(own, rival),
    detail: `${perSecond(own)} of ${perSecond(rival)}`,
  });
  return {
    cachedPage: share(page),
    cachedApi: share(api),
    newApi: share(queries),
    newApiAgainstSql: {
      value: ratio(queries.own, sql),
      detail: `${perSecond(queries.own)}, good SQL ${perSecond(sql)}`,
    },
    views: {
      value: ratio(views, specified),
      detail: `${perSecond(views)}, the specification's way ${perSecond(specified)} (two a view)`,
    },
    ...(await measureRendering(product.origin, programme.pages.length, effort)),
  };
}

/** A view of a page is two requests: of the page, and of the reviews that are shown beside it. */
function viewsOf(
  { pages }: Programme,
  headers: Record<string, string>,
  list: string,
  reviewsOf: (showIds: readonly string[]) => string,
): Load {
  let requests = 0;
  return {
    headers,
    nextPath() {
      const page = (Math.floor(requests / 2) * 7) % pages.length;
      return requests++ % 2 === 0 ? `${list}?page=${page + 1}` : reviewsOf(pages[page] ?? []);
    },
  };
}

const apiReviews = (showIds: readonly string[]) =>
  `/api/reviews?${showIds.map((id) => `show_id=${id}`).join("&")}`;

/** @throws Error naming the first query that two servers answer differently: then nothing is comparable */
async function requireAgreement(one: Target, other: Target, nextQuery: () => string): Promise<void> {
  for (let asked = 0; asked < 40; asked++) {
    const path = `/api/shows?${nextQuery()}`;
    const [own, theirs] = [await readPage(one.origin + path), await readPage(other.origin + path)];
    if (!isDeepStrictEqual(own, theirs)) throw new Error(`Good SQL answers ${path} with other shows`);
  }
}
