import { expect, test } from "vitest";
import { noteDay } from "./note-day.ts";

test("a note's day has a year outside that of the festival only", () => {
  expect(noteDay("2025-08-12T23:59:59.999Z")).toBe("12 Aug");
  expect(noteDay("2025-09-01T00:00:00.000Z")).toBe("1 Sep");
  expect(noteDay("2026-08-20T12:00:00.000Z")).toBe("20 Aug 2026");
});
