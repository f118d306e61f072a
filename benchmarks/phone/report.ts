import { count, kilobytes, percent, rate } from "../figures.ts";
import { markdownTable } from "../markdown-table.ts";
import type { BundlePart } from "./bundle-map.ts";
import type { Interaction } from "./interactions.ts";
import type { Lighthouse } from "./lighthouse.ts";
import type { Phone, TimeToList } from "./measure.ts";

/** The figures of the phone as Markdown. */
export function reportPhone({ bundle, lighthouse, timesToList, interactions }: Phone): string {
  return [
    "### What the first page's scripts are made of",
    bundleTable(bundle),
    "### Lighthouse, mobile",
    lighthouseTable(lighthouse),
    "### From the address to the list, on a phone",
    aboutTimes,
    timesTable(timesToList),
    "### From a touch or a key to the next frame, on a phone",
    aboutInteractions,
    interactionsTable(interactions),
  ].join("\n\n");
}

const aboutTimes = `Until all cards of the first page are drawn, in a browser that has never seen the site, on a processor slowed four times. _Without
server rendering_ is the same page with the same libraries and styles, which draws in the browser and asks as the specification's client
does: for the shows with what their reviews answered, and for all reviews. Its server answers from memory, compressed as well as can be.`;

const aboutInteractions = `The longest of each step, by Event Timing, in whole 8 ms; nothing below 16 ms is told of. Somebody who is signed in, on a processor slowed
four times.`;

function bundleTable(parts: BundlePart[]): string {
  const sum = (size: "served" | "minified") => parts.reduce((bytes, part) => bytes + part[size], 0);
  return markdownTable(
    ["part", "served, KB", "of all", "uncompressed, KB"],
    [
      ...parts.map(({ name, served, minified }): [string, ...string[]] => [
        name,
        kilobytes(served),
        percent(served / sum("served")),
        kilobytes(minified),
      ]),
      ["**all**", kilobytes(sum("served")), "", kilobytes(sum("minified"))],
    ],
  );
}

function lighthouseTable(figures: Lighthouse): string {
  return markdownTable(
    ["", "median"],
    [
      ["performance, of 100", count(figures.performance)],
      ["first contentful paint, ms", rate(figures.firstContentfulPaint)],
      ["largest contentful paint, ms", rate(figures.largestContentfulPaint)],
      ["total blocking time, ms", rate(figures.totalBlockingTime)],
      ["cumulative layout shift", figures.cumulativeLayoutShift.toFixed(3)],
      ["speed index, ms", rate(figures.speedIndex)],
    ],
  );
}

function timesTable(times: TimeToList[]): string {
  return markdownTable(
    ["round trip and line", "product, ms", "without server rendering, ms", "ratio"],
    times.map(({ line, product, baseline }) => [
      `${line.roundTrip} ms, ${count(line.kilobitsPerSecond)} kbit/s`,
      rate(product),
      rate(baseline),
      (baseline / product).toFixed(1),
    ]),
  );
}

function interactionsTable(interactions: Interaction[]): string {
  return markdownTable(
    ["", "longest, ms"],
    interactions.map(({ name, longest }) => [name, count(longest)]),
  );
}
