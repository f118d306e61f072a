import { describe, expect, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import type { FestivalEvent } from "./event.ts";
import { inventProgramme } from "./programme.ts";

const programme = inventProgramme();
const other = inventProgramme({ seed: 7 });

const share = (test: (event: FestivalEvent) => unknown) => programme.filter(test).length / programme.length;
const countOf = (test: (event: FestivalEvent) => unknown) => programme.filter(test).length;
const distinct = <T>(values: readonly T[]) => new Set(values).size;

test("the same seed gives the same programme byte for byte, another seed another programme", () => {
  expect(JSON.stringify(inventProgramme())).toBe(JSON.stringify(programme));
  expect(other.map(({ title }) => title)).not.toEqual(programme.map(({ title }) => title));
});

test("the programme can be smaller, even empty", () => {
  for (const size of [0, 1, 2, 25, 500]) expect(inventProgramme({ size })).toHaveLength(size);
});

describe.each([
  ["the usual programme", programme],
  ["a programme with another seed", other],
])("%s has the structure of the real programme:", (_, events) => {
  test("3,893 shows with distinct ids in about 300 venues", () => {
    expect(events).toHaveLength(3893);
    const venues = distinct(events.flatMap(({ venue }) => venue?.name ?? []));
    expect(venues).toBeGreaterThanOrEqual(280);
    expect(venues).toBeLessThanOrEqual(320);
    expect(distinct(events.map(({ url }) => url))).toBe(3893);
  });

  test("an id is 40 hexadecimal digits, and the last segment of the record's url", () => {
    for (const { id, url } of events) {
      expect(url).toMatch(/^https:\/\/api\.edinburghfestivalcity\.com\/events\/[0-9a-f]{40}$/);
      if (id !== undefined) expect(url.endsWith(`/${id}`)).toBe(true);
    }
  });

  test("about 54,000 performances from 1 to 25 August, in London time", () => {
    const performances = events.flatMap((event) => event.performances);
    expect(performances.length).toBeGreaterThan(51_000);
    expect(performances.length).toBeLessThan(57_000);
    const isIn = (day: string, time: string) =>
      new RegExp(`^${YEAR}-08-${day} ([01]\\d|2[0-3]):[0-5]\\d:00$`).test(time);
    const wrong = performances.filter(
      ({ start, end }) => !isIn("(0[1-9]|1\\d|2[0-5])", start) || !isIn("\\d\\d", end) || end <= start,
    );
    expect(wrong).toEqual([]);
  });

  test("all ten genres, one in two spellings, with comedy and theatre first", () => {
    const counts = Object.groupBy(events, ({ genre }) => genre ?? "none");
    const names = Object.keys(counts).sort((a, b) => (counts[b]?.length ?? 0) - (counts[a]?.length ?? 0));
    expect(names.slice(0, 2)).toEqual(["Comedy", "Theatre"]);
    expect(names.filter((name) => name !== "none").toSorted()).toEqual([
      "Cabaret and Variety",
      "Children's Shows",
      "Comedy",
      "Dance, Physical Theatre and Circus",
      "Events",
      "Exhibitions",
      "Music",
      "Musical and Opera",
      "Musicals and Opera",
      "Spoken Word",
      "Theatre",
    ]);
  });

  test("titles of 3 to 200 characters, both included", () => {
    const lengths = events.map(({ title }) => title.length);
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([3, 200]);
    expect(Math.min(...events.map(({ title }) => title.trim().length))).toBe(3);
    expect(lengths.filter((length) => length > 120).length).toBeGreaterThan(20);
  });

  test("descriptions of 40 to 900 characters, and no placeholder in any text", () => {
    for (const { title, artist, description, sub_title, venue } of events) {
      if (description) expect(description.length).toBeGreaterThanOrEqual(40);
      expect(description?.length ?? 0).toBeLessThanOrEqual(900);
      for (const text of [artist, description, sub_title, venue?.name, venue?.address]) {
        expect(text ?? "").not.toMatch(/[{}]|undefined/);
      }
      expect(title).not.toMatch(/\{(?!Curly\})/);
    }
  });

  test("websites of shows and venues have reserved domains", () => {
    const hosts = events
      .flatMap(({ website, venue }) => [website, venue?.web_address])
      .filter((site) => site && /^https?:/.test(site))
      .map((site) => new URL(String(site)).hostname);
    expect(hosts.length).toBeGreaterThan(3600);
    expect(hosts.filter((host) => !host.endsWith(".example"))).toEqual([]);
  });
});

describe("the irregularities of real records occur:", () => {
  test("artists are null, empty or absent in a sixth to a quarter of the shows", () => {
    expect(share(({ artist }) => !artist)).toBeGreaterThan(0.16);
    expect(share(({ artist }) => !artist)).toBeLessThan(0.25);
    expect(countOf(({ artist }) => artist === null)).toBeGreaterThan(100);
    expect(countOf(({ artist }) => artist === "")).toBeGreaterThan(100);
    expect(countOf((event) => !("artist" in event))).toBeGreaterThan(100);
  });

  test("some venues and websites are missing, and some websites are no http(s) URL", () => {
    expect(countOf(({ venue }) => venue === null)).toBeGreaterThan(10);
    expect(countOf((event) => !("venue" in event))).toBeGreaterThan(3);
    expect(countOf(({ website }) => website === null)).toBeGreaterThan(50);
    expect(countOf((event) => !("website" in event))).toBeGreaterThan(10);
    expect(countOf(({ website }) => website && !/^https?:\/\//.test(website))).toBeGreaterThan(15);
    expect(countOf(({ website }) => website?.startsWith("javascript:"))).toBeGreaterThan(0);
    expect(countOf(({ website }) => website?.startsWith(`/${YEAR}/`))).toBeGreaterThan(0);
  });

  test("1 to 2 % of the shows are cancelled, none is deleted", () => {
    expect(share(({ status }) => status === "cancelled")).toBeGreaterThan(0.01);
    expect(share(({ status }) => status === "cancelled")).toBeLessThan(0.02);
    expect(countOf(({ status }) => status === "deleted")).toBe(0);
  });

  test("some years are strings, some keys are absent, some shows have no performances", () => {
    expect(countOf(({ year }) => year === String(YEAR))).toBeGreaterThan(50);
    expect(countOf(({ year }) => year === YEAR)).toBeGreaterThan(3000);
    for (const key of ["id", "description", "warnings", "age_category", "genre_tags", "sub_title"]) {
      expect(countOf((event) => !(key in event))).toBeGreaterThan(2);
    }
    expect(countOf(({ performances }) => performances.length === 0)).toBeGreaterThan(5);
    expect(countOf(({ description }) => description === null)).toBeGreaterThan(10);
    expect(countOf(({ genre }) => genre === null)).toBeGreaterThan(0);
  });

  test("20 to 120 shows share their title with another", () => {
    const shared = programme.length - distinct(programme.map(({ title }) => title.trim().toLowerCase()));
    expect(shared).toBeGreaterThan(20);
    expect(shared).toBeLessThan(120);
  });

  test.each([
    ["entities", /&(amp|rsquo|ndash|eacute|#039);/],
    ["signs that look like HTML", /<3|<Insert/],
    ["straight quotes", /['"]/],
    ["curly quotes", /[‘’“”]/],
    ["dashes", /[–—]/],
    ["emoji", /\p{Extended_Pictographic}/u],
    ["Gaelic, French and Spanish letters", /[àèìòùéêçñ¿]/],
    ["Japanese", /[\p{Script=Hiragana}\p{Script=Han}]/u],
    ["search wildcards", /[%_\\]/],
    ["leading white space", /^\s/],
    ["trailing white space", /\s$/],
    ["capitals only", /^[A-Z :,!]{12,}$/],
  ])("titles with %s", (_, pattern) => {
    expect(countOf(({ title }) => pattern.test(title))).toBeGreaterThan(0);
  });

  test("audience participation for about a tenth of the shows, and no warnings for a third", () => {
    const declared = share(({ warnings }) => warnings?.split(", ").includes("Audience participation"));
    expect(declared).toBeCloseTo(0.1, 1);
    expect(share(({ warnings }) => !warnings)).toBeCloseTo(0.34, 1);
  });
});

// Well-known names of the real festival: no invented programme may have them.
const realNames = `
  Pleasance|Gilded Balloon|Underbelly|Assembly|Summerhall|Traverse|theSpace|Just the Tonic|Monkey Barrel|Zoo Southside|Greenside
  Laughing Horse|PBH|C venues|Paradise Green|Bedlam|Hoots|Roxy|McEwan Hall|Usher Hall|Dovecot|Scottish Storytelling|Dance Base|Army at the Fringe
  Rose Street Theatre|Frankenstein|Cabaret Voltaire|Banshee Labyrinth|Voodoo Rooms|Liquid Room|Queen's Hall|King's Theatre|Lyceum|Playhouse
  Stewart Lee|James Acaster|Daniel Kitson|Sarah Millican|Frank Skinner|Billy Connolly|Frankie Boyle|Kevin Bridges|Fern Brady|Nish Kumar|Rose Matafeo
  Hannah Gadsby|Phoebe Waller|Fleabag|Baby Reindeer|Richard Gadd|Tim Key|Tim Minchin|Bridget Christie|Josie Long|Ed Gamble|Rosie Jones|Sara Pascoe
  Aisling Bea|Dara Ó|Jimmy Carr|Russell Howard|John Bishop|Jack Whitehall|Michael McIntyre|Eddie Izzard|Bo Burnham|Reginald D|Jason Byrne|Adam Hills
  Adam Kay|Mark Watson|Al Murray|Paul Foot|Milton Jones|Simon Munnery|Nina Conti|Basil Brush|Showstopper|Austentatious|Mischief|Baby Loves Disco
  Ladyboys|Foil Arms|Pappy's|Tape Face|Gruffalo|Hamlet|Macbeth|Hamilton|Paines Plough|Frantic Assembly|Complicit|Paper Birds|Fishamble|Fringe First
  Soweto Gospel|Out of the Blue|Oxford Revue|Cambridge Footlights|Footlights|Durham Revue|So You Think You're Funny|Shakespeare|Beckett|Brecht
`
  .split(/[|\n]/)
  .map((name) => name.trim())
  .filter(Boolean);

test.each([
  ["the usual programme", programme],
  ["a programme with another seed", other],
])("%s has no name of a real performer, company, venue or show", (_, events) => {
  const real = new RegExp(`\\b(?:${realNames.join("|")})\\b|\\bThe Stand\\b(?!-)`, "i");
  const texts = events.flatMap(({ title, artist, venue, sub_title, description }) => [
    title,
    artist,
    venue?.name,
    sub_title,
    description,
  ]);
  expect(
    texts.filter((text) => text && real.test(text.replaceAll("’", "'").replaceAll("&rsquo;", "'"))),
  ).toEqual([]);
});
