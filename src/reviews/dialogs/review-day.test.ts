import { expect, test, vi } from "vitest";
import { YEAR } from "../../domain/programme.ts";
import { isoDay, noteDay } from "../../domain/review-day.ts";
import { fullDay } from "./own-review-items.tsx";

test("a note's day has a year outside that of the festival only", () => {
  expect(noteDay(`${YEAR}-08-12T22:59:59.999Z`)).toBe("12 Aug");
  expect(noteDay(`${YEAR}-09-01T00:00:00.000Z`)).toBe("1 Sep");
  expect(noteDay(`${YEAR + 1}-08-20T12:00:00.000Z`)).toBe(`20 Aug ${YEAR + 1}`);
});

test.each([
  ["in summer, an hour before midnight in UTC", "2025-08-09T23:00:00.000Z", "10 Aug", "10 August 2025"],
  ["in winter", "2025-01-31T23:30:00.000Z", "31 Jan", "31 January 2025"],
  ["on the last evening of summer time", "2025-10-25T23:10:00.000Z", "26 Oct", "26 October 2025"],
  ["at the turn of the festival's year", "2025-12-31T23:59:59.999Z", "31 Dec", "31 December 2025"],
])("a review has Edinburgh's day in every time zone: %s", (_when, time, day, full) => {
  for (const zone of ["America/Los_Angeles", "UTC", "Asia/Tokyo"]) {
    vi.stubEnv("TZ", zone);
    expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
    expect([noteDay(time).replace(/ 2025$/, ""), fullDay(time)]).toEqual([day, full]);
    expect(isoDay(time)).toBe(new Date(`${full} UTC`).toISOString().slice(0, 10));
  }
  vi.unstubAllEnvs();
});
