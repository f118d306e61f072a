import { states } from "./change/measure.ts";
import { milliseconds, percent, rate, tenths, times } from "./figures.ts";
import { markdownTable } from "./markdown-table.ts";
import type { Results } from "./measure.ts";

/** How reviews are written, as Markdown. */
export function reportWriting({ writing, shownAfter }: Results): string[] {
  if (!writing || !shownAfter) return [];
  const { product, clients, ratio, statements, processorTime } = writing;
  return [
    "### Writing reviews",
    markdownTable(
      ["", "reviews/s", "p50, ms", "p99, ms"],
      [
        [
          "over HTTP, each stored before it is answered",
          rate(product.perSecond),
          milliseconds(product.p50),
          milliseconds(product.p99),
        ],
        ["by clients of the database", rate(clients.perSecond), milliseconds(clients.p50), milliseconds(clients.p99)],
        [
          "from sending a review to its being in another server's list",
          "",
          milliseconds(shownAfter.p50),
          milliseconds(shownAfter.p99),
        ],
      ],
    ),
    `That is ${percent(ratio)} of the clients', who send the same ${statements} statements a review, one after the other, and do nothing else. The serving process \
spends ${milliseconds(processorTime / 1000)} ms of CPU on a review.`,
  ];
}

/** How reading goes on under change, as Markdown. */
export function reportChange({ underChange }: Results): string[] {
  const [any] = underChange ?? [];
  if (!underChange || !any) return [];
  const busiest = rate(Math.min(...underChange.map(({ reviewsPerSecond }) => reviewsPerSecond)));
  const refreshes = underChange.reduce((sum, { refreshes: some }) => sum + some, 0);
  return [
    "### Read while it changes",
    `${any.rate} requests a second: while nothing else happens, while the shows are refreshed again and again (${refreshes} times), and while \
reviews come in (${busiest} a second).`,
    markdownTable(
      [
        "load",
        "p50, ms",
        "p99, ms",
        "p99, refresh",
        "",
        "p99, reviews",
        "",
        "limit's p99, ms",
        "limit's, reviews",
        "",
        "longest pause: quiet, refresh, reviews, ms",
        "taken by others",
      ],
      underChange.map(({ name, latency: { quiet, refresh, reviews }, times: more, limit, pause, stolen }) => [
        name,
        milliseconds(quiet.p50),
        milliseconds(quiet.p99),
        milliseconds(refresh.p99),
        times(more.refresh),
        milliseconds(reviews.p99),
        times(more.reviews),
        milliseconds(limit.quiet.p99),
        milliseconds(limit.reviews.p99),
        times(limit.times),
        states.map((state) => milliseconds(pause[state])).join(", "),
        tenths(stolen),
      ]),
    ),
  ];
}
