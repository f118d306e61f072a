import { count, kilobytes, megabytes, milliseconds, percent, rate, seconds, tenths, times } from "./figures.ts";
import type { LoadedFile } from "./first-load.ts";
import { judge, verdict } from "./goals.ts";
import { type Growth, USUAL } from "./growth/measure.ts";
import { type Comparison, rivalIn } from "./load/compare.ts";
import type { HalfLoad } from "./load/half-load.ts";
import { rivals } from "./load/measure.ts";
import { OWN_WAY, REQUESTS_OF_VIEW } from "./load/views.ts";
import type { Machine } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import type { Results } from "./measure.ts";
import type { Memory } from "./memory.ts";
import { reportPhone } from "./phone/report.ts";
import { reportChange, reportWriting } from "./report-changes.ts";
import type { Starting } from "./starting.ts";

/** The figures of a run as Markdown. */
export function reportFigures(results: Results): string {
  const { date, machine, stolen, starting, firstLoad, phone, underLoad, memory, growth } = results;
  const size = underLoad && ` with ${count(underLoad.shows)} shows and ${count(underLoad.reviews)} reviews`;
  return [
    `Measured on ${date}${size ?? ""}. ${machineLine(machine)}${theftLine(stolen)}`,
    "### Goals",
    goalsTable(results),
    ...(underLoad
      ? [
          "### As many requests as it can answer",
          comparisonTable(underLoad.comparisons),
          "### Against what else one could use",
          rivalsTable(underLoad.comparisons),
          viewsLine(underLoad.views),
          "### Half as many",
          halfLoadTable(underLoad.halfLoads),
        ]
      : []),
    ...reportWriting(results),
    ...reportChange(results),
    ...(growth ? ["### A hundred times as many shows", growthReport(growth)] : []),
    ...(starting ? ["### Starting and stopping", startingTable(starting)] : []),
    ...(memory ? ["### Memory of the serving process", memoryTable(memory)] : []),
    ...(firstLoad ? ["### First load of the first page", filesTable(firstLoad.page)] : []),
    ...(firstLoad ? ["### Loaded by pressing Sign In, and by whoever is signed in", filesTable(firstLoad.signIn)] : []),
    ...(phone ? [reportPhone(phone)] : []),
  ].join("\n\n");
}

function machineLine({ processor, cores, memory, system, node, postgresql }: Machine): string {
  return `Machine: ${processor}, ${cores} cores, ${memory} GB, ${system}, Node ${node}, PostgreSQL ${postgresql}.`;
}

/** Long latencies are partly its doing: who waits for an answer waits for a processor too. */
function theftLine(stolen: number | undefined): string {
  return stolen === undefined
    ? ""
    : ` Other guests of its host took ${percent(stolen)} of its processors' time meanwhile.`;
}

function goalsTable(results: Results): string {
  return markdownTable(
    ["what", "goal", "found", ""],
    judge(results).map((goal) => [goal.name, goal.asked, goal.found, verdict(goal)]),
  );
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  return markdownTable(
    ["load", "requests/s", "limit's", "ratio", "p50, ms", "p99, ms", "CPU, µs/request", "limit's", "refused"],
    comparisons.map((comparison) => {
      const { name, product } = comparison;
      const limit = rivalIn(comparison, rivals.limit);
      return [
        name,
        rate(product.requestsPerSecond),
        rate(limit?.round.requestsPerSecond ?? Number.NaN),
        percent(limit?.ratio ?? Number.NaN),
        milliseconds(product.p50),
        milliseconds(product.p99),
        rate(product.processorTime),
        rate(limit?.round.processorTime ?? Number.NaN),
        product.refused > 0 ? tenths(product.refused) : "",
      ];
    }),
  );
}

/** Requests a second of everybody, and how many times a rival's the product's are. */
function rivalsTable(comparisons: readonly Comparison[]): string {
  const names = Object.values(rivals);
  return markdownTable(
    ["load, requests/s", "product", ...names, ...names.slice(1).map((name) => `product / ${name}`)],
    comparisons
      .filter(({ others }) => others.length > 1)
      .map((comparison) => [
        comparison.name,
        rate(comparison.product.requestsPerSecond),
        ...names.map((name) => rate(rivalIn(comparison, name)?.round.requestsPerSecond ?? Number.NaN)),
        ...names.slice(1).map((name) => times(rivalIn(comparison, name)?.ratio ?? Number.NaN)),
      ]),
  );
}

function viewsLine(views: Comparison): string {
  const other = rivalIn(views, OWN_WAY);
  if (!other) return "";
  const perSecond = (requests: number) => rate(requests / REQUESTS_OF_VIEW);
  return `Views of any page, its notes with it: ${perSecond(views.product.requestsPerSecond)}/s; ${OWN_WAY}, which sends all reviews with each, \
${Number((other.round.requestsPerSecond / REQUESTS_OF_VIEW).toPrecision(2))}/s: ${times(other.ratio)}.`;
}

function halfLoadTable(halfLoads: readonly HalfLoad[]): string {
  return markdownTable(
    ["load", "requests/s", "p50, ms", "p99, ms", "limit's p50, ms", "limit's p99, ms", "taken by others"],
    halfLoads.map(({ name, rate: perSecond, product, limit, stolen }) => [
      name,
      rate(perSecond),
      ...[product.p50, product.p99, limit.p50, limit.p99].map(milliseconds),
      tenths(stolen),
    ]),
  );
}

function growthReport({ date, shows, reviews, start, reload, memory, costs, change }: Growth): string {
  const requests = costs.map((cost): [string, ...string[]] => {
    const usual = rivalIn(cost, USUAL)?.round.processorTime ?? Number.NaN;
    const { processorTime } = cost.product;
    return [`${cost.name}, CPU µs/request`, rate(usual), rate(processorTime), times(processorTime / usual)];
  });
  const { usual, grown } = change;
  const more = (label: string, before: number, after: number): [string, ...string[]] => [
    label,
    milliseconds(before),
    milliseconds(after),
    times(after / before),
  ];
  return [
    `With ${count(shows)} shows and ${count(reviews)} reviews, measured on ${date}: open after ${seconds(start)}; everything read again, with a thousand titles changed, in \
${seconds(reload.seconds)} (${seconds(reload.processorTime)} of CPU), with a pause of the event loop of ${milliseconds(reload.pause)} ms at most; ${megabytes(memory.loaded)} with the \
catalogue loaded, ${megabytes(memory.highest)} at its highest.`,
    markdownTable(
      ["", "usual size", "100 times", ""],
      [
        ...requests,
        more("one review changed: CPU until it is shown, ms", usual.processorTime, grown.processorTime),
        more("one review changed: shown after, p50, ms", usual.shownAfter.p50, grown.shownAfter.p50),
        more("one review changed: shown after, p99, ms", usual.shownAfter.p99, grown.shownAfter.p99),
      ],
    ),
  ].join("\n\n");
}

function startingTable({ first, again, stop }: Starting): string {
  return markdownTable(
    ["", "time"],
    [
      ["`npm start` to the first whole page, empty data folder", seconds(first)],
      ["`npm start` to the first whole page, started before", seconds(again)],
      ["Ctrl-C to the end of the last process", seconds(stop)],
    ],
  );
}

function filesTable(files: readonly LoadedFile[]): string {
  const row = (name: string, some: readonly LoadedFile[]): [string, ...string[]] => {
    const sum = (size: "served" | "whole") => some.reduce((bytes, file) => bytes + file[size], 0);
    return [name, kilobytes(sum("served")), kilobytes(sum("whole"))];
  };
  const byKind = Object.entries(Object.groupBy(files, (file) => file.kind));
  return markdownTable(
    ["", "served, KB", "uncompressed, KB"],
    [
      ...files.map((file) => row(`\`${file.name}\``, [file])),
      ...byKind.map(([kind, some = []]) => row(`**${kind}: ${some.length}**`, some)),
      row(`**requests: ${files.length}**`, files),
    ],
  );
}

function memoryTable({ atRest, afterLoad, highest }: Memory): string {
  return markdownTable(
    ["", "resident"],
    [
      ["at rest", megabytes(atRest)],
      ["after all the loads above", megabytes(afterLoad)],
      ["at its highest", megabytes(highest)],
    ],
  );
}
