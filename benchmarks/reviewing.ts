import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHistogram } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { openDatabase } from "../src/database/open.server.ts";
import { answers } from "../src/reviews/review.ts";
import { showPage } from "../src/shows/api-schema.server.ts";
import { freePort } from "../tests/support/free-port.ts";
import { inventReviewers, liftLimits, type Reviewer, sendReview } from "../tests/support/reviewers.ts";
import { apiHeaders } from "./load/programme.ts";
import { CONNECTIONS, microseconds } from "./load/saturate.ts";

const main = fileURLToPath(new URL("../build/server/main.js", import.meta.url));

/** Times in ms. */
export interface Reviewing {
  /** Reviews stored in a second, by many people at once, and how long one takes. */
  writesPerSecond: number;
  p50: number;
  p99: number;
  /** From sending a review to its being in the list of another server process. */
  shownAfter: { p50: number; p99: number };
}

/** How many people review. */
const PEOPLE = 1_000;

/** How many reviews are followed to the other server. */
const FOLLOWED = 100;

/** Writes reviews of the programme into the site's own database: the last thing to measure, for the list is another afterwards. */
export async function measureReviewing(
  { origin, dataDir }: { origin: string; dataDir: string },
  seconds: number,
  running: AsyncDisposableStack,
): Promise<Reviewing> {
  const { db, url, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir,
    log: pino({ level: "silent" }),
    sharing: "join",
  });
  running.defer(close);
  await liftLimits(db);
  // The site is reached by number here, and known by name to itself.
  const people = await inventReviewers(db, origin.replace("127.0.0.1", "localhost"), PEOPLE);
  const shows = (await db.selectFrom("shows").select(["id", "title"]).where("listed", "=", true).execute()).slice(
    0,
    2_000,
  );
  const written = await writeFor(
    seconds,
    origin,
    people,
    shows.map(({ id }) => id),
  );
  const other = await startOther(origin, url, running);
  return { ...written, shownAfter: await followReviews(origin, other, people, shows) };
}

async function writeFor(seconds: number, origin: string, people: Reviewer[], shows: string[]) {
  const latencies = createHistogram();
  const began = performance.now();
  let next = 0;
  const write = async () => {
    for (let sent = performance.now(); sent - began < seconds * 1000; sent = performance.now()) {
      const turn = next++;
      await review(origin, people, shows[turn % shows.length] ?? "", turn);
      latencies.record(microseconds(performance.now() - sent));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, write));
  const took = performance.now() - began;
  return {
    writesPerSecond: (latencies.count / took) * 1000,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
  };
}

/** @throws Error when the review is not stored: a figure made of failures would mean nothing */
async function review(origin: string, people: Reviewer[], show_id: string, turn: number): Promise<void> {
  const person = people[turn % people.length];
  const audience_interaction = answers[turn % answers.length] ?? "no";
  if (!person) throw new Error("There is nobody to review");
  const notes = `It was like this, more or less, the ${turn}th time.`;
  const answer = await sendReview(origin, person, { show_id, audience_interaction, notes });
  if (answer.status !== 200) throw new Error(`A review was answered with ${answer.status}`);
  await answer.arrayBuffer();
}

/** A second server process on the same database; resolves with its origin when it answers. */
async function startOther(origin: string, databaseUrl: string, running: AsyncDisposableStack): Promise<string> {
  const port = String(await freePort());
  const { PATH, HOME } = process.env;
  // A festival's API that is not there is enough for a server that has no reason to refresh.
  const festival = { FESTIVAL_API_URL: "http://127.0.0.1:9", FESTIVAL_API_KEY: "bench", FESTIVAL_API_SECRET: "bench" };
  const variables = {
    PORT: port,
    ORIGIN: origin,
    DATABASE_URL: databaseUrl,
    ALLOW_LOOPBACK_PROVIDERS: "1",
    ...festival,
  };
  const child = spawn(process.execPath, [main], {
    env: { PATH, HOME, ...variables },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  running.defer(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  await once(child, "message");
  return `http://127.0.0.1:${port}`;
}

/** One review after the other, each until the other server's list counts it. */
async function followReviews(
  origin: string,
  other: string,
  people: Reviewer[],
  shows: { id: string; title: string }[],
) {
  const latencies = createHistogram();
  for (const [turn, show] of shows.slice(0, FOLLOWED).entries()) {
    const before = await newestReview(other, show);
    const began = performance.now();
    await review(origin, people, show.id, turn + shows.length);
    while ((await newestReview(other, show)) === before) {}
    latencies.record(microseconds(performance.now() - began));
  }
  return { p50: latencies.percentile(50) / 1000, p99: latencies.percentile(99) / 1000 };
}

async function newestReview(origin: string, { id, title }: { id: string; title: string }): Promise<string | null> {
  const address = `${origin}/api/shows?search=${encodeURIComponent(title)}`;
  const { shows } = showPage.parse(await (await fetch(address, { headers: apiHeaders })).json());
  return shows.find((show) => show.id === id)?.reviews?.latest_at ?? null;
}
