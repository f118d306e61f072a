import { expect, test, vi } from "vitest";
import { noTallies } from "../../tests/support/snapshot.ts";
import { YEAR } from "../domain/programme.ts";
import { wholeList } from "../domain/show-query.ts";
import { findSaved, saveList } from "./saving-client.ts";

const day = `${YEAR}-08-05`;
const rows = { title: ["First", "Second"], id: ["abcdef1", "abcdef2"], status: ["active", "active"] };
const nothing = [null, null];
const documents: Record<string, object> = {
  "/api/offline/shows.json": {
    year: YEAR,
    ...rows,
    ...{ website: nothing, artist: nothing, venue_name: nothing, genre: nothing, description: nothing },
    announced: ["unknown", "unknown"],
  },
  "/api/tallies.json": {
    year: YEAR,
    ...{ id_start: ["abcdef1"], no: [1], very_little: [0], yes: [0], latest_on: [day] },
  },
};

/** A browser that has the list, as it was saved now. Returns how often its texts were read. */
function openBrowser() {
  const savedAt = Date.now();
  const read = vi.fn();
  const match = async (path: string) => {
    const response = new Response("{}", { headers: { "Saved-At": String(savedAt) } });
    const json = async () => {
      read(path);
      return documents[path];
    };
    return Object.assign(response, { json });
  };
  vi.stubGlobal("caches", { has: async () => true, open: async () => ({ match }) });
  vi.stubGlobal("navigator", { serviceWorker: { register: async () => ({}) } });
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("location", { pathname: "/terms" });
  return { savedAt, texts: () => read.mock.calls.filter(([path]) => path.endsWith("shows.json")).length };
}

test("the saved list is opened once, however often what was saved is looked at again", async () => {
  const browser = openBrowser();
  const since: number[] = [];
  const latest_at = `${day}T14:05:00.000Z`;
  const find = async () => {
    const found = await findSaved(wholeList, (time) => {
      since.push(time);
      return [["abcdef2", { ...noTallies, yes: 1, latest_at, revision: 1 }]];
    });
    return found?.list.shows.map(({ title, reviews }) => [title, reviews?.total]);
  };
  const expected = [["Second", 1], ["First", 1]]; // biome-ignore format: a table
  expect(await find()).toEqual(expected);
  expect(await saveList()).toBe(browser.savedAt);
  expect(await find()).toEqual(expected);
  expect(browser.texts()).toBe(1);
  expect(new Set(since)).toEqual(new Set([browser.savedAt]));
  vi.unstubAllGlobals();
});
