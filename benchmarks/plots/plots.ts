import { milliseconds, percent, rate } from "../figures.ts";
import { type Growth, USUAL } from "../growth/measure.ts";
import { type Comparison, rivalIn } from "../load/compare.ts";
import { rivals } from "../load/measure.ts";
import { REQUESTS_OF_VIEW } from "../load/views.ts";
import type { Results } from "../measure.ts";
import { type Bar, plotBars } from "./bars.ts";

/** The plots of a run, by the names of their files. */
export function plotResults({ underLoad, growth }: Results): Record<string, string> {
  return {
    ...(underLoad && {
      "limit.svg": plotLimit(underLoad.comparisons),
      "rivals.svg": plotRivals(underLoad.comparisons, underLoad.views),
    }),
    ...(growth && { "growth.svg": plotGrowth(growth) }),
  };
}

function plotLimit(comparisons: readonly Comparison[]): string {
  return plotBars({
    title: "Requests a second, as a part of what a bare server reaches with the same bytes",
    note: "The dashed mark is the goal.",
    groups: [
      comparisons.map((comparison) => {
        const ratio = rivalIn(comparison, rivals.limit)?.ratio ?? 0;
        const { name, goal } = comparison;
        return { label: name, value: ratio, text: percent(ratio), own: true, ...(goal && { goal }) };
      }),
    ],
  });
}

function plotRivals(comparisons: readonly Comparison[], views: Comparison): string {
  const many = comparisons.filter(({ others }) => others.length > 1);
  const loads = many.map((comparison) => [
    bar(`${comparison.name}: product`, comparison.product.requestsPerSecond, true),
    ...comparison.others.map(({ name, round }) => bar(name, round.requestsPerSecond, false)),
  ]);
  const viewBars = [
    bar("page views: product", views.product.requestsPerSecond / REQUESTS_OF_VIEW, true),
    ...views.others.map(({ name, round }) => bar(name, round.requestsPerSecond / REQUESTS_OF_VIEW, false)),
  ];
  return plotBars({
    title: "Requests or page views a second, against what else one could use",
    note: "Each step to the right is a multiple: the scale is logarithmic.",
    groups: [...loads, viewBars],
    logarithmic: true,
  });
}

function bar(label: string, value: number, own: boolean): Bar {
  return { label, value, text: value < 100 ? value.toPrecision(2) : rate(value), own };
}

function plotGrowth({ costs, change }: Growth): string {
  const pair = (label: string, usual: number, grown: number): Bar[] => [
    { label: `${label}: usual size`, value: usual, text: processorTime(usual), own: false },
    { label: "100 times as many shows", value: grown, text: processorTime(grown), own: true },
  ];
  return plotBars({
    title: "CPU for one request, with 3,893 shows and with 390,000",
    note: "Each step to the right is a multiple: the scale is logarithmic.",
    groups: [
      ...costs.map((cost) =>
        pair(cost.name, (rivalIn(cost, USUAL)?.round.processorTime ?? 0) / 1000, cost.product.processorTime / 1000),
      ),
      pair("one review changed", change.usual.processorTime, change.grown.processorTime),
    ],
    logarithmic: true,
  });
}

/** @param ms of a processor's time */
function processorTime(ms: number): string {
  return ms < 0.1 ? `${Math.round(ms * 1000)} µs` : `${milliseconds(ms)} ms`;
}
