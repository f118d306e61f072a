/** In a row of the table of goals, by the name of the measured value. */
interface Goal {
  row: number;
  name: string;
  what: string;
  bound: "≥" | "≤";
  limit: number;
  unit: string;
}

const goal =
  (bound: Goal["bound"]) =>
  (row: number, name: string, what: string, limit: number, unit = ""): Goal => ({
    row,
    name,
    what,
    bound,
    limit,
    unit,
  });
const least = goal("≥");
const most = goal("≤");

const goals = [
  least(1, "cachedPage", "cached page, share of the limit", 0.5),
  least(1, "cachedApi", "first API page, share of the limit", 0.5),
  least(2, "newApi", "API, queries never asked before, share of the limit", 0.12),
  least(2, "newApiAgainstSql", "… against good SQL", 4, "×"),
  least(3, "views", "page views against the specification's own way", 500, "×"),
  most(4, "renderedPageCpu", "page rendered anew, uncompressed, CPU", 4, "ms"),
  least(5, "writes", "reviews written, share of database clients", 0.4),
  most(6, "readsP99", "20 reviews/s and a refresh meanwhile: p99 of reads", 25, "ms"),
  most(6, "readsRefused", "… refused reads", 0),
  most(6, "longestPause", "… longest pause of the event loop", 100, "ms"),
  most(7, "memory", "memory at rest", 150, "MB"),
  most(7, "secondStart", "second start", 2, "s"),
  most(8, "grownFirstPage", "ten times the data: first page, CPU", 1.5, "×"),
  most(8, "grownSearchCpu", "… new search, CPU", 3, "ms"),
  most(8, "grownStart", "… start, with loading the catalogue", 3, "s"),
  most(8, "grownMemory", "… memory at its highest", 450, "MB"),
  most(9, "scripts", "first visit: scripts", 115, "KB"),
  most(9, "styles", "… CSS", 12, "KB"),
  most(9, "html", "… HTML", 15, "KB"),
  most(9, "requests", "… requests", 12),
  least(10, "performance", "Lighthouse mobile: performance", 98),
  least(10, "accessibility", "… accessibility", 100),
  least(10, "bestPractices", "… best practices", 100),
  least(10, "seo", "… SEO", 100),
  most(10, "lcp", "… largest contentful paint", 1.8, "s"),
  most(10, "tbt", "… total blocking time", 100, "ms"),
  most(10, "cls", "… cumulative layout shift", 0),
  most(11, "listReadable", "list readable at 400 ms and 400 kbit/s", 3, "s"),
  most(11, "inp", "interaction to next paint at 4 × CPU slow-down", 100, "ms"),
];

/** What a part of the run found, by the names of goals. */
export interface Measured {
  values: Record<string, number>;
  /** The figures behind a ratio. */
  details?: Record<string, string>;
}

/** A goal with what was measured. */
export interface Verdict extends Goal {
  value: number;
  met: boolean;
  detail: string;
}

/** Holds what was measured against the goals. What was not measured is not met. */
export function judge(parts: readonly Measured[]): Verdict[] {
  const values: Measured["values"] = Object.assign({}, ...parts.map((part) => part.values));
  const details: Measured["details"] = Object.assign({}, ...parts.map((part) => part.details));
  return goals.map((goal) => {
    const value = values[goal.name] ?? Number.NaN;
    const met = goal.bound === "≥" ? value >= goal.limit : value <= goal.limit;
    return { ...goal, value, met, detail: details?.[goal.name] ?? "" };
  });
}
