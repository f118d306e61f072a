import { count, kilobytes, megabytes, milliseconds, percent, rate, seconds } from "./figures.ts";
import type { LoadedFile } from "./first-load.ts";
import type { Comparison } from "./load/compare.ts";
import type { HalfLoad } from "./load/half-load.ts";
import type { Machine } from "./machine.ts";
import { markdownTable } from "./markdown-table.ts";
import type { Results } from "./measure.ts";
import type { Memory } from "./memory.ts";
import type { Reviewing } from "./reviewing.ts";
import type { Starting } from "./starting.ts";

/** The figures of a run as Markdown. */
export function reportFigures({ date, machine, starting, firstLoad, underLoad, reviewing, memory }: Results): string {
  return [
    `Measured on ${date} with ${count(underLoad.shows)} shows. ${machineLine(machine)}`,
    "### Starting and stopping",
    startingTable(starting),
    "### First load of the first page",
    filesTable(firstLoad.page),
    "### Loaded by pressing Sign In, and by whoever is signed in",
    filesTable(firstLoad.signIn),
    "### As many requests as it can answer",
    comparisonTable(underLoad.comparisons),
    "### Half as many",
    halfLoadTable(underLoad.halfLoads),
    "### Reviewing",
    reviewingTable(reviewing),
    "### Memory of the serving process",
    memoryTable(memory),
  ].join("\n\n");
}

function machineLine({ processor, cores, memory, system, node, postgresql }: Machine): string {
  return `Machine: ${processor}, ${cores} cores, ${memory} GB, ${system}, Node ${node}, PostgreSQL ${postgresql}.`;
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

function filesTable(files: LoadedFile[]): string {
  const row = (name: string, some: LoadedFile[]): [string, ...string[]] => {
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

function comparisonTable(comparisons: Comparison[]): string {
  return markdownTable(
    ["load", "requests/s", "limit's", "ratio", "p50, ms", "p99, ms", "CPU, µs/request", "limit's"],
    comparisons.map(({ name, product, limit, ratio }) => [
      name,
      rate(product.requestsPerSecond),
      rate(limit.requestsPerSecond),
      percent(ratio),
      milliseconds(product.p50),
      milliseconds(product.p99),
      rate(product.processorTime),
      rate(limit.processorTime),
    ]),
  );
}

function halfLoadTable(halfLoads: HalfLoad[]): string {
  return markdownTable(
    ["load", "requests/s", "p50, ms", "p99, ms", "limit's p50, ms", "limit's p99, ms"],
    halfLoads.map(({ name, rate: perSecond, product, limit }) => [
      name,
      rate(perSecond),
      ...[product.p50, product.p99, limit.p50, limit.p99].map(milliseconds),
    ]),
  );
}

function reviewingTable({ writesPerSecond, p50, p99, shownAfter }: Reviewing): string {
  return markdownTable(
    ["", "reviews/s", "p50, ms", "p99, ms"],
    [
      [
        "reviews written over HTTP, each stored before it is answered",
        rate(writesPerSecond),
        milliseconds(p50),
        milliseconds(p99),
      ],
      [
        "from sending a review to its being in another server's list",
        "",
        milliseconds(shownAfter.p50),
        milliseconds(shownAfter.p99),
      ],
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
