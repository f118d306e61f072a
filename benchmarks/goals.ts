import { firstVisitBudget } from "../dev/harness/first-visit.ts";

interface Goal {
  /** Of the table of goals. */
  row: number;
  what: string;
  bound: "≥" | "≤";
  limit: number;
  unit: "" | "×" | "KB" | "ms";
}

const goal =
  (bound: Goal["bound"]) =>
  (row: number, what: string, limit: number, unit: Goal["unit"] = ""): Goal => ({
    row,
    what,
    bound,
    limit,
    unit,
  });
const least = goal("≥");
const most = goal("≤");

/** Each is a ratio within one run, a size, or a score or a time on a calibrated processor. */
const goals = {
  cachedPage: least(1, "cached page, share of bare", 0.7),
  cachedApi: least(1, "first API page, share of bare", 0.7),
  newApi: least(2, "API, queries never asked before, share of bare", 0.15),
  newApiAgainstSql: least(2, "… against good SQL", 7, "×"),
  views: least(3, "page views against the specification's own way", 3_000, "×"),
  renderedPage: most(4, "uncached page, CPU against React alone", 1.5, "×"),
  writes: least(5, "reviews written, share of database clients", 0.8),
  readsP99: most(6, "20 reviews/s and a refresh meanwhile: p99 of reads against quiet", 5, "×"),
  readsRefused: most(6, "… refused reads", 0),
  longestPause: most(6, "… longest pause against an uncached page", 15, "×"),
  memory: most(7, "memory at rest against an empty server", 1.7, "×"),
  start: most(7, "production's start against that server's", 3, "×"),
  grownFirstPage: most(8, "ten times the data: first page, CPU", 1.2, "×"),
  grownSearch: least(8, "… new searches against good SQL on those data", 4.5, "×"),
  grownStart: most(8, "… start, with loading the catalogue", 5, "×"),
  grownMemory: most(8, "… memory at its highest", 2, "×"),
  scripts: most(9, "first visit: scripts", 104, "KB"),
  styles: most(9, "… CSS", firstVisitBudget.styles / 1000, "KB"),
  html: most(9, "… HTML", firstVisitBudget.html / 1000, "KB"),
  requests: most(9, "… requests", firstVisitBudget.requests),
  performance: least(10, "Lighthouse on the calibrated phone: performance", 99),
  accessibility: least(10, "… accessibility", 100),
  bestPractices: least(10, "… best practices", 100),
  seo: least(10, "… SEO", 100),
  lcp: most(10, "… largest contentful paint against the static page", 1.2, "×"),
  cls: most(10, "… cumulative layout shift", 0),
  listReadable: most(11, "list readable at 400 ms and 400 kbit/s against the static page", 1.2, "×"),
  inp: most(11, "interaction to next paint against a press on the static page", 1.2, "×"),
  savedTexts: most(12, "saved list: texts", 250, "KB"),
  savedTallies: most(12, "… tallies", 23, "KB"),
  savedSearch: most(12, "… the slowest search on the calibrated phone", 14, "ms"),
};

export interface Figure {
  value: number;
  /** The figures behind a ratio. */
  detail?: string;
}

/** What a part of the run has measured. */
export type Figures = Partial<Record<keyof typeof goals, Figure>>;

/** The goals of what was measured as one table in Markdown, and whether all are met. */
export function judge(figures: Figures): { table: string; allMet: boolean } {
  const verdicts = Object.entries(goals).flatMap(([name, goal]) => {
    const figure = figures[name as keyof typeof goals];
    if (!figure) return [];
    const { value, detail = "" } = figure;
    return { ...goal, value, detail, met: goal.bound === "≥" ? value >= goal.limit : value <= goal.limit };
  });
  const rows = verdicts.map(({ row, what, bound, limit, unit, value, met, detail }) => [
    row,
    what,
    `${bound} ${limit} ${unit}`.trimEnd(),
    `${significant(value)} ${unit}`.trimEnd(),
    met ? "met" : "**missed**",
    detail,
  ]);
  const head = ["#", "what", "goal", "measured", "", "in figures"];
  const lines = [head, ["---:", "---", "---:", "---:", "---", "---"], ...rows];
  return {
    table: lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    allMet: verdicts.every(({ met }) => met),
  };
}

/** Three significant digits are more than a noisy machine gives away. */
export function significant(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
