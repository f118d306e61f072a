import type { Browser } from "@playwright/test";
import { readProgramme } from "../dev/harness/programme.ts";
import { openBrowser } from "../scripts/browser.ts";
import { parseShowQuery, type ShowQuery } from "../src/domain/show-query.ts";
import { type Figures, significant } from "./goals.ts";
import { median } from "./load.ts";
import { calibrate, openPhone } from "./measure-phone.ts";
import { newQueries } from "./queries.ts";
import { record } from "./rivals/start.ts";

const QUERIES = 200;

/** The hardest: letters with other spellings, the longest search, one that finds nothing, one that finds most. */
const hardest = ["search=ä", "search=ø&yes=none", `search=${"ä".repeat(100)}`, "search=%21", "search=qxj"];

/** Goal 12: the documents of the saved list as served, and searches in what a phone has saved. */
export async function measureSavedList(
  origin: string,
  visits: number,
  running: AsyncDisposableStack,
): Promise<Figures> {
  const slowdown = await calibrate(origin, running);
  const kilobytes = async (path: string) => {
    const { body } = await record(origin + path, { "accept-encoding": "br" });
    return { value: body.byteLength / 1000 };
  };
  const next = newQueries((await readProgramme(origin)).texts);
  const asked = [...hardest, ...Array.from({ length: QUERIES }, next), "search=e", ""];
  const queries = asked.map((query) => parseShowQuery(new URLSearchParams(query)));
  const browser = await openBrowser(running);
  const found: Searches[] = [];
  while (found.length < visits) found.push(await searchSaved(browser, origin, slowdown, queries));
  await browser.close();
  const times = queries.map((_, index) => median(found.map(({ times }) => times[index] ?? Number.NaN)));
  const slowest = Math.max(...times);
  const opening = median(found.map(({ opening }) => opening));
  return {
    savedTexts: await kilobytes("/api/offline/shows.json"),
    savedTallies: await kilobytes("/api/tallies.json"),
    savedSearch: {
      value: slowest,
      detail: `"${asked[times.indexOf(slowest)]}", median ${significant(median(times))} ms, opened in ${significant(opening)} ms; slowed down ${significant(slowdown)} times`,
    },
  };
}

/** In ms. */
interface Searches {
  /** With the first search, which opens the list. */
  opening: number;
  times: number[];
}

async function searchSaved(
  browser: Browser,
  origin: string,
  slowdown: number,
  queries: ShowQuery[],
): Promise<Searches> {
  const { page, close } = await openPhone(browser, slowdown);
  await page.goto(origin);
  await page.getByText("Saved for offline:").waitFor();
  const searches = await page.evaluate(search, queries);
  await close();
  return searches;
}

/** In the page, with the site's own script. */
async function search(queries: ShowQuery[]): Promise<Searches> {
  const urls = performance.getEntriesByType("resource").map(({ name }) => name);
  const script = urls.find((url) => url.includes("/saving-client-")) ?? "";
  const { findSaved }: typeof import("../src/offline/saving-client.ts") = await import(script);
  const time = async (query: ShowQuery) => {
    const startedAt = performance.now();
    if (!(await findSaved(query, () => []))) throw new Error("The list is not saved");
    return performance.now() - startedAt;
  };
  const opening = await time({ search: "", interaction: [], page: 1 });
  const times: number[] = [];
  for (const query of queries) {
    // As between keystrokes.
    await new Promise((resolve) => setTimeout(resolve, 50));
    times.push(await time(query));
  }
  return { opening, times };
}
