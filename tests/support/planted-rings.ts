import { type Random, seededRandom } from "../../dev/fake-festival-api/random.ts";
import type { Db } from "../../src/database/schema.server.ts";
import { type Interaction, interactions } from "../../src/domain/review.ts";
import { givenNone, givenReviews, givenShows, givenUsers } from "./given.ts";
import { userId } from "./programme.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2025, 7, 1);

interface Show {
  id: string;
  company: number;
  /** The interaction that most reviewers choose, and their share. */
  answer: Interaction;
  agreement: number;
}

type Visit = { show: Show; at: number };

interface Account {
  joined: number;
  planted: string | null;
  reviews: (Visit & { answer: Interaction; notes: string | null })[];
}

function phrases(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter(Boolean);
}

const openings = phrases(`
  We sat near the back | Sat in the front row | I was on the aisle | We came late | Full house tonight
  Small room, warm crowd | My second time here | Went with my mother | Five of us went | Took the kids`);
const asides = phrases(`
  the row behind us joined in | he asked for our names | my brother hid his face
  a lad from Leith stole it | she sang to a birthday girl | they threw biscuits | the lights stayed low
  you choose a card | there is a quiz | someone held a rope`);
const middles = phrases(`
  and nobody near us was picked | and two people went up | and they asked for a volunteer
  but nobody had to sing | and everybody clapped along | and he chatted to the first row
  and she left us alone | and one man danced with her | but you could say no
  and they only asked for names`);
const endings = phrases(`
  Would recommend. | Very gentle about it. | Kind to everyone. | Great fun all the same. | Not for the shy.
  Lovely evening. | Bring a friend. | No pressure at all. | We laughed a lot.
  Sit further up if you worry.`);
const short = phrases(
  "Great fun! | Loved it | Brilliant | Very funny. | No interaction at all | So good | Amazing!!",
);
const promoted = phrases(`
  Absolutely the best show of this year's festival, everyone has to see it
  A real gem with a wonderful cast, nobody needs to be afraid of sitting in front
  Do not miss this one, the whole family was in tears of laughter from start to end
  Terrible experience, they dragged people on stage against their will for an hour`);
const fillers = phrases("really | honestly | !! | friends | tonight | wow | and me too | so | 10/10 | Yes.");

function ownNotes({ chance, pick }: Random): string | null {
  if (chance(0.45)) return null;
  if (chance(0.2)) return pick(short);
  return `${pick(openings)} ${pick(middles)}, ${pick(asides)}. ${pick(endings)}`;
}

function copyOf(text: string, { chance, pick, int }: Random): string {
  const words = text.split(" ");
  for (let change = int(0, 3); change > 0; change--)
    words.splice(int(0, words.length - 1), chance(0.5) ? 1 : 0, pick(fillers));
  return chance(0.3) ? words.join(" ").toUpperCase() : words.join(" ");
}

/** Users and rings of a festival, invented from a seed. */
function inventAccounts(seed: number): { shows: Show[]; accounts: Account[] } {
  const random = seededRandom(seed);
  const { chance, int: whole, pick: one, next } = random;
  const between = (min: number, max: number) => min + next() * (max - min);
  const some = <T>(of: readonly T[], count: number): T[] => random.shuffle(of).slice(0, count);
  const sizes = Array.from({ length: 110 }, () => (chance(0.6) ? 1 : whole(2, 5)));
  const companies = sizes.map((size, company) => ({ company, size }));
  const shows = companies.flatMap(({ company, size }) =>
    Array.from({ length: size }, (_, n): Show => {
      const answer = one(interactions);
      return { id: `show-${company}-${n}`, company, answer, agreement: between(0.65, 0.97) };
    }),
  );
  const showsOf = (company: number) => shows.filter((show) => show.company === company);
  const large = companies.filter(({ size }) => size >= 3).map(({ company }) => company);
  /** A few shows are reviewed most. */
  const popular = () => shows[Math.floor(shows.length * next() ** 2)] as Show;
  const visited = (count: number) => [...new Set(Array.from({ length: count }, popular))];
  const answerTo = (show: Show) => (chance(show.agreement) ? show.answer : one(interactions));
  const accounts: Account[] = [];
  function honest(joined: number, visits: Visit[]): void {
    const reviews = visits.map((visit) => ({
      ...visit,
      answer: answerTo(visit.show),
      notes: ownNotes(random),
    }));
    accounts.push({ joined, planted: null, reviews });
  }
  /** Users write a first review when they join. Some write the next ones at once, others on later days. */
  function timed(joined: number, of: Show[], atOnce: number): Visit[] {
    let at = joined + between(1, 5) * MINUTE;
    return of.map((show) => {
      const visit = { show, at };
      at += chance(atOnce) ? between(1, 8) * MINUTE : between(0.2, 3) * DAY;
      return visit;
    });
  }

  for (let person = 0; person < 700; person++) {
    const joined = START + between(0, 22) * DAY;
    honest(joined, timed(joined, visited(chance(0.4) ? 1 : whole(2, 12)), 0.4));
  }
  for (const company of some(large, 8)) {
    for (let fan = whole(6, 15); fan > 0; fan--) {
      const joined = START + between(0, 15) * DAY;
      const seen = some(showsOf(company), whole(2, 5));
      honest(joined, timed(joined, chance(0.4) ? [...seen, ...visited(2)] : seen, chance(0.2) ? 0.9 : 0.1));
    }
  }
  for (const show of some(shows, 12)) {
    const end = START + whole(1, 20) * DAY + 21 * HOUR;
    for (let person = whole(6, 40); person > 0; person--) {
      const joined = end + between(0, 1) * HOUR;
      honest(joined, timed(joined, [show, ...(chance(0.45) ? visited(whole(1, 4)) : [])], 0.1));
    }
  }

  function ring(planted: string, size: number, reviewsOf: (index: number) => Omit<Account, "planted">): void {
    for (let index = 0; index < size; index++) accounts.push({ planted, ...reviewsOf(index) });
  }
  const write = (text: string | null) => (text ? copyOf(text, random) : ownNotes(random));
  for (const company of some(large, 6)) {
    const [from, days] = [START + between(1, 15) * DAY, between(0.1, 5)];
    const text = chance(0.6) ? one(promoted) : null;
    ring("praises its own shows", whole(5, 20), () => {
      const joined = from + between(0, days) * DAY;
      const praised = timed(joined, some(showsOf(company), whole(2, 5)), 1);
      return { joined, reviews: praised.map((visit) => ({ ...visit, answer: "no", notes: write(text) })) };
    });
  }
  for (const show of some(shows, 6)) {
    const [from, hours] = [START + between(2, 20) * DAY, between(0.5, 4)];
    const answer = one(interactions.filter((other) => other !== show.answer));
    const text = chance(0.5) ? one(promoted) : null;
    ring("runs down a rival", whole(6, 25), () => {
      const joined = from + between(0, hours) * HOUR;
      const notes = write(text);
      return { joined, reviews: [{ show, at: joined + between(1, 10) * MINUTE, answer, notes }] };
    });
  }
  for (const show of some(shows, 4)) {
    const [from, text] = [START + between(0, 8) * DAY, one(promoted)];
    ring("copies notes", whole(5, 12), (index) => {
      const joined = from + index * DAY + between(0, 8) * HOUR;
      const own = { show, at: joined + HOUR, answer: "no" as const, notes: copyOf(text, random) };
      const disguise = timed(joined + 2 * HOUR, visited(whole(1, 2)), 0.5)
        .filter((visit) => visit.show !== show)
        .map((visit) => ({ ...visit, answer: answerTo(visit.show), notes: null }));
      return { joined, reviews: [own, ...disguise] };
    });
  }
  for (const show of some(shows, 3)) {
    const from = START + between(0, 8) * DAY;
    ring("is careful", whole(5, 10), (index) => {
      const joined = from + index * DAY + between(0, 8) * HOUR;
      return { joined, reviews: [{ show, at: joined + 5 * MINUTE, answer: "no", notes: ownNotes(random) }] };
    });
  }
  return { shows, accounts };
}

/** Replaces all data by the invented festival. Returns the planted rings, by user. */
export async function plantRings(db: Db, seed: number): Promise<Map<string, string | null>> {
  const { shows, accounts } = inventAccounts(seed);
  await givenNone(db, "shows", "users");
  const rows = shows.map(({ id, company }) => ({ id, title: `About ${id}`, artist: `Company ${company}` }));
  await givenShows(db, rows);
  const users = accounts.map(({ joined }, index) => ({ id: userId(index), created_at: new Date(joined) }));
  await givenUsers(db, users);
  const reviews = accounts.flatMap((account, index) =>
    onePerShow(account).map(({ show, at, answer, notes }) => ({
      ...{ show_id: show.id, user_id: userId(index), created_at: new Date(at) },
      ...{ audience_interaction: answer, notes },
    })),
  );
  await givenReviews(db, reviews);
  return new Map(accounts.map(({ planted }, index) => [userId(index), planted]));
}

const onePerShow = ({ reviews }: Account) => [
  ...new Map(reviews.toReversed().map((review) => [review.show.id, review])).values(),
];
