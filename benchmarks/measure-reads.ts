import { isDeepStrictEqual } from "node:util";
import { apiHeaders, type Programme, readPage } from "../dev/harness/programme.ts";
import type { Measured } from "./goals.ts";
import {
  type Effort,
  type Load,
  medianOf,
  perSecond,
  ratio,
  saturating,
  type Target,
  takeTurns,
} from "./load.ts";
import { newQueries } from "./queries.ts";
import { recordFor, startRival } from "./rivals/start.ts";

export const firstPage: Load = { headers: { "accept-encoding": "br" }, nextPath: () => "/" };
export const firstApiPage: Load = { headers: apiHeaders, nextPath: () => "/api/shows" };

/** `GET /api/shows`, with queries never asked before. */
export function newApiQueries(texts: readonly string[]): Load {
  const next = newQueries(texts);
  return { headers: apiHeaders, nextPath: () => `/api/shows?${next()}` };
}

/** Goals 1 to 4: reads, as many as each server can answer. */
export async function measureReads(
  product: Target,
  { programme, databaseUrl }: { programme: Programme; databaseUrl: string },
  effort: Effort,
  running: AsyncDisposableStack,
): Promise<Measured> {
  const bare = await startRival("bare", databaseUrl, running);
  const goodSql = await startRival("good-sql", databaseUrl, running);
  const specification = await startRival("specification", databaseUrl, running);
  const { texts } = programme;
  await requireAgreement(product, goodSql, newQueries(texts, 2));

  async function againstLimit(load: () => Load, recorded: number, other?: Target) {
    await recordFor(bare, product.origin, load(), recorded);
    const [own, limit, rival] = [product, bare, other ?? bare].map((target) => saturating(target, load()));
    if (!own || !limit || !rival) throw new Error("Nothing to compare");
    await takeTurns(other ? [own, limit, rival] : [own, limit], effort);
    return { own, limit, rival, detail: `${perSecond(own)} of ${perSecond(limit)}` };
  }

  const page = await againstLimit(() => firstPage, 1);
  const api = await againstLimit(() => firstApiPage, 1);
  const queries = await againstLimit(() => newApiQueries(texts), 300, goodSql);

  const next = newQueries(texts);
  // With more connections pages would be refused, because they wait for each other to be rendered.
  const load = { headers: { "accept-encoding": "identity" }, nextPath: () => `/?${next()}`, connections: 4 };
  const rendered = saturating(product, load);
  await takeTurns([rendered], effort);

  const views = saturating(product, viewsOf(programme, apiHeaders, "/api/shows", apiReviews));
  const specified = saturating(
    specification,
    viewsOf(programme, {}, "/shows", () => "/reviews"),
  );
  await takeTurns([views, specified], effort);

  return {
    values: {
      cachedPage: ratio(page.own, page.limit),
      cachedApi: ratio(api.own, api.limit),
      newApi: ratio(queries.own, queries.limit),
      newApiAgainstSql: ratio(queries.own, queries.rival),
      views: ratio(views, specified),
      renderedPageCpu: medianOf(rendered, "cpu"),
    },
    details: {
      cachedPage: page.detail,
      cachedApi: api.detail,
      newApi: queries.detail,
      newApiAgainstSql: `${perSecond(queries.own)}, good SQL ${perSecond(queries.rival)}`,
      views: `${perSecond(views)}, the specification's way ${perSecond(specified)} (two a view)`,
      renderedPageCpu: `${perSecond(rendered)} with what the client takes`,
    },
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
