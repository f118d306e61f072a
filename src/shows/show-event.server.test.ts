import { expect, test } from "vitest";
import { bareShow, noTallies } from "../../tests/support/snapshot.ts";
import type { ListedShow } from "../domain/show.ts";
import { eventOf } from "./show-event.server.ts";

const url = "https://front-row.example/?show=1";
const show: ListedShow = {
  ...bareShow("1"),
  title: "Moth Hour",
  venue_name: "The Upturned Teacup",
  reviews: { ...noTallies, yes: 9, total: 9, few: false },
};
const metadata = { address: "37 Guthrie Street, EH1 1JG" };
const shared = {
  "@type": "Event",
  name: "Moth Hour",
  url,
  eventStatus: "https://schema.org/EventScheduled",
  location: { "@type": "Place", name: "The Upturned Teacup", ...metadata },
};

test("a show is an event with its place, its dates with their zone, its status and no rating", () => {
  const performances = "2025-08-06 15:45:00/60;2025-08-07 23:30:00/60;2025-12-01 12:00:00/;soon/60";
  expect(eventOf({ show, metadata: { ...metadata, performances } }, url)).toEqual({
    "@context": "https://schema.org",
    ...shared,
    startDate: "2025-08-06T15:45:00+01:00",
    endDate: "2025-12-01T12:00:00+00:00",
    subEvent: [
      { ...shared, startDate: "2025-08-06T15:45:00+01:00", endDate: "2025-08-06T16:45:00+01:00" },
      { ...shared, startDate: "2025-08-07T23:30:00+01:00", endDate: "2025-08-08T00:30:00+01:00" },
      { ...shared, startDate: "2025-12-01T12:00:00+00:00" },
    ],
  });
});

test("an unknown address is left out, and a cancelled show says so", () => {
  const cancelled: ListedShow = { ...show, status: "cancelled" };
  const performances = "2025-08-09 20:00/";
  expect(eventOf({ show: cancelled, metadata: { address: null, performances } }, url)).toEqual({
    ...shared,
    "@context": "https://schema.org",
    eventStatus: "https://schema.org/EventCancelled",
    location: { "@type": "Place", name: "The Upturned Teacup" },
    startDate: "2025-08-09T20:00:00+01:00",
    endDate: "2025-08-09T20:00:00+01:00",
  });
});

test.each([
  [null, "2025-08-09 20:00/60"],
  ["Attic", "soon/60"],
  ["Attic", null],
])("a show in %s at %s is no event", (venue_name, performances) => {
  const listed = { show: { ...show, venue_name }, metadata: { ...metadata, performances } };
  expect(eventOf(listed, url)).toBeUndefined();
});
