import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import { startFakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { setUpDatabase } from "../support/set-up.ts";

/** Real records of the API, outside of the repository. */
const folder = fileURLToPath(new URL("../../../shared/data/festival-api/", import.meta.url));

const database = await setUpDatabase();

/** Serves the records of a file as the Fringe's programme, and imports it. */
async function importFile(file: string, year: number) {
  const records: FestivalEvent[] = JSON.parse(readFileSync(`${folder}${file}`, "utf8"));
  const programme = records.map((record) => ({ ...record, festival_id: "fringe" }));
  const fake = await startFakeFestivalApi({ programme: () => programme });
  const log = pino({ level: "silent" });
  const outcome = await refreshShows({ db: database.db, api: fake, log, year });
  await fake.close();
  const shows = await database.db
    .selectFrom("shows")
    .selectAll()
    .where("year", "=", year)
    .orderBy("title")
    .execute();
  return { outcome, shows };
}

test.skipIf(!existsSync(folder))("imports a real record of the demo Fringe of 2026", async () => {
  const { outcome, shows } = await importFile("demofringe2026_event_sample.json", 2026);
  expect(outcome).toMatchObject({ outcome: "succeeded", listed: 1, skipped: 0 });
  expect(shows).toMatchObject([
    {
      id: "2c95ba44394448599f9fd5986589038bff7cfe36",
      title: "FAKE On the Watchlist",
      artist: "DEMO: Jay Servedio",
      venue_name: "DEMO: Mash Tonic The House at Just The",
      genre: "Comedy",
      website: "https://www.edfringe.com/tickets/whats-on/2026ONTHEWA",
      description: expect.stringMatching(/^DEMO: incisive .* Jay's$/),
      status: "active",
      listed: true,
      warnings: ["Contains distressing or potentially triggering themes", "Strong language/swearing"],
      details: {
        age_category: "18+",
        performance_space: { name: "DEMO: Just Room Cask The", capacity: 80, wheelchair_access: false },
        country: "UNITED STATES",
        venue: {
          post_code: "EH1 1JG",
          disabled_description: expect.stringMatching(/^DEMO: Assistance Cowgate /),
          position: { lat: 55.948515, lon: -3.187059 },
        },
        performances: [
          { start: "2026-08-06 15:45:00", minutes: 60 },
          { start: "2026-08-10 15:45:00", minutes: 60 },
        ],
      },
    },
  ]);
});

test.skipIf(!existsSync(folder))("imports ten real records of a film festival of 2015", async () => {
  const { outcome, shows } = await importFile("eiff2015_events_api_sample.json", 2015);
  expect(outcome).toMatchObject({ outcome: "succeeded", listed: 10, skipped: 0 });
  const show = (title: string) => shows.find((candidate) => candidate.title === title);
  expect(show("Kafka’s The Burrow (Kafka’s Der Bau)")).toMatchObject({
    id: "209591f581b9a098ff9e356278b41f2a23a43320",
    artist: null,
    venue_name: "Filmhouse",
    genre: "Film",
    website: "http://www.edfilmfest.org.uk/films/2015/kafkas-the-burrow",
    description: expect.stringMatching(
      /^Adapted from Kafka's 1923 short story Der Bau, and .* as it first appeared\.$/,
    ),
  });
  expect(show("45 Years")?.description).toContain("Andrew Haigh’s subtly devastating film");
  expect(show("Future Shock! The Story of 2000AD")?.description).toContain("\n\n• Director Paul Goodwin\n• ");
  for (const { description, title } of shows)
    expect(`${title} ${description}`).not.toMatch(/<\/?\w|&\w+;|\u00a0|null/);
});
