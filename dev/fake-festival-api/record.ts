import { YEAR } from "../../src/domain/programme.ts";
import type { FestivalEvent, FestivalVenue, Performance } from "./event.ts";
import type { Random } from "./random.ts";
import { rooms } from "./words/places.ts";
import { artistTypes, countries } from "./words/tags.ts";

/** All other fields of a record are derived or unimportant. */
export interface InventedShow {
  id: string;
  index: number;
  title: string;
  subTitle: string | null;
  artist: string;
  artistIsPerson: boolean;
  genre: string;
  tags: string[];
  warnings: string[];
  ageCategory: string | null;
  description: string;
  venue: FestivalVenue;
  performances: Performance[];
}

/** Between 1 April and 1 August, all in British Summer Time, in seconds since 1970. */
const [FIRST_UPDATE, LAST_UPDATE] = [Date.UTC(YEAR, 3) / 1000, Date.UTC(YEAR, 7) / 1000];
const partsOfRecord =
  "identity title description venue performances artist genre discounts age_category fringe_first other disabled web_links images status".split(
    " ",
  );

/** Fields are in the API's order. */
export function eventRecord(show: InventedShow, random: Random): FestivalEvent {
  const slug = slugOf(show.title) || `show-${show.index}`;
  const updated = random.int(FIRST_UPDATE, LAST_UPDATE);
  return {
    id: show.id,
    festival_id: "fringe",
    title: show.title,
    sub_title: show.subTitle,
    status: "active",
    code: `${YEAR}${slug.replaceAll("-", "").slice(0, 7).toUpperCase()}${show.index}`,
    year: YEAR,
    venue: show.venue,
    performances: show.performances,
    performance_space: {
      name: random.pick(rooms),
      capacity: random.chance(0.9) ? random.int(3, 50) * 10 : null,
      wheelchair_access: random.chance(0.6),
      age_limited: show.ageCategory === "18+",
      age_limit: show.ageCategory === "18+" ? "18+" : null,
    },
    sub_venue: null,
    warnings: show.warnings.join(", ") || null,
    fringe_first: null,
    description: show.description,
    description_teaser: random.chance(0.3)
      ? `${show.description.replace(/<[^>]*>/g, "").slice(0, 80)}…`
      : null,
    artist: show.artist,
    artist_type: random.pick(artistTypes),
    genre: show.genre,
    genre_tags: show.tags.join(",") || null,
    categories: { strand_titles: [], subjects: [], keywords: [] },
    discounts: { two_for_one: null, group: null, friends: null, passport: null, schools: null },
    disabled: disabledAccess(random),
    age_category: show.ageCategory,
    website: website(slug, show.index, random),
    images: {},
    twitter: null,
    country: random.pick(countries),
    performers_number: show.artistIsPerson ? 1 : random.int(2, 14),
    non_english: random.chance(0.03) ? true : null,
    related_content: [],
    festival: "Edinburgh Festival Fringe",
    url: `https://api.edinburghfestivalcity.com/events/${show.id}`,
    updated: londonSummerTime(updated),
    update_times: Object.fromEntries(partsOfRecord.map((part) => [part, updated])),
    latitude: show.venue.position.lat,
    longitude: show.venue.position.lon,
  };
}

function disabledAccess(random: Random): FestivalEvent["disabled"] {
  const captioning = random.chance(0.05);
  return {
    audio: null,
    audio_dates: null,
    signed: null,
    signed_dates: null,
    captioning: captioning || null,
    captioning_dates: captioning ? `${YEAR}-08-${random.int(10, 24)}` : null,
    other_services: null,
    other_services_dates: null,
    other_services_information: null,
  };
}

function website(slug: string, index: number, random: Random): string {
  return random.weighted([
    [`https://tickets.example/${YEAR}/${slug}-${index}`, 85],
    [`https://www.${slug}.example/edinburgh?utm_source=fringe&year=${YEAR}`, 10],
    [`http://tickets.example/${YEAR}/${slug}-${index}`, 5],
  ]);
}

function slugOf(title: string): string {
  const letters = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return letters.slice(0, 40).replace(/^-+|-+$/g, "");
}

const londonSummerTime = (seconds: number) =>
  new Date((seconds + 3600) * 1000).toISOString().slice(0, 19).replace("T", " ");
