import { YEAR } from "../../src/domain/programme.ts";
import type { FestivalEvent } from "./event.ts";
import type { Random } from "./random.ts";
import { MAX_TITLE } from "./titles.ts";

type Quirk = (event: FestivalEvent, random: Random) => void;

/** Each has the probability that it has in real records. */
const quirks: readonly (readonly [probability: number, quirk: Quirk])[] = [
  [0.5, curlyQuotes],
  [0.08, (event) => inNames(event, (name) => name.replaceAll("'", "&rsquo;").replaceAll("’", "&rsquo;"))],
  [0.35, (event) => inNames(event, (name) => name.replaceAll(" & ", " &amp; "))],
  [0.2, (event) => inNames(event, (name) => name.replace(" – ", " — "))],
  [
    0.015,
    (event, random) => inTitle(event, (title) => `${title} ${random.pick([..."🎭🎤🐝🌙🔥🐌🍋🎻🦔💃"])}`),
  ],
  [
    0.012,
    (event, random) =>
      inNames(event, (name) => random.pick([` ${name}`, `${name} `, `${name}\n`, `\t${name}`])),
  ],
  [0.015, (event) => set(event, { status: "cancelled" })],
  [0.03, (event) => set(event, { year: String(event.year) })],
  [0.02, (event) => leaveOut(event, "id")],
  [0.1, (event) => set(event, { artist: null })],
  [0.06, (event) => set(event, { artist: "" })],
  [0.04, (event) => leaveOut(event, "artist")],
  [0.01, (event) => set(event, { venue: null, latitude: null, longitude: null })],
  [0.004, (event) => leaveOut(event, "venue")],
  [0.03, (event) => set(event, { website: null })],
  [0.01, (event) => leaveOut(event, "website")],
  [0.012, (event, random) => set(event, { website: random.pick(notWebsites) })],
  [0.01, (event) => set(event, { description: null })],
  [0.002, (event) => leaveOut(event, "description")],
  [0.002, (event) => set(event, { genre: null })],
  [0.01, (event) => leaveOut(event, "warnings", "age_category")],
  [0.01, (event) => leaveOut(event, "genre_tags", "sub_title", "description_teaser")],
  [0.005, (event) => set(event, { performances: [] })],
];

/** Values of `website` that are not the URL of a public page. */
const notWebsites = [
  "",
  `/${YEAR}/sold-out`,
  `//tickets.example/${YEAR}/show`,
  `tickets.example/${YEAR}/show`,
  "mailto:boxoffice@tickets.example",
  "ftp://tickets.example/flyer.pdf",
  "javascript:alert(1)",
  "TBC",
];

/** Changes the record in place. */
export function addQuirks(event: FestivalEvent, random: Random): void {
  for (const [probability, quirk] of quirks) if (random.chance(probability)) quirk(event, random);
}

const set: (event: FestivalEvent, fields: Partial<FestivalEvent>) => void = Object.assign;

function leaveOut(event: FestivalEvent, ...keys: (keyof FestivalEvent)[]): void {
  for (const key of keys) delete event[key];
}

function inNames(event: FestivalEvent, change: (name: string) => string): void {
  inTitle(event, change);
  if (event.artist) event.artist = change(event.artist);
}

function inTitle(event: FestivalEvent, change: (title: string) => string): void {
  const title = change(event.title);
  if (title.length <= MAX_TITLE) event.title = title;
}

function curlyQuotes(event: FestivalEvent): void {
  const curl = (text: string) =>
    text
      .replace(/(^|\s)'/g, "$1‘")
      .replaceAll("'", "’")
      .replace(/(^|\s)"/g, "$1“")
      .replaceAll('"', "”");
  inNames(event, curl);
  if (event.description && !event.description.includes("<")) event.description = curl(event.description);
}
