import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hasRecentReview, pastSharedCaches, rememberOwnReview } from "./own-review-time-client.ts";

const items = new Map<string, string>();

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2025, 7, 1) });
  items.clear();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const lastFor = (ms: number) => {
  const before = hasRecentReview();
  vi.advanceTimersByTime(ms);
  return [before, hasRecentReview()];
};

test("requests lead past shared caches for twelve seconds after a review", () => {
  const params = () => String(pastSharedCaches(new URLSearchParams({ page: "2" })));
  vi.advanceTimersByTime(60_000);
  expect(params()).toBe("page=2");
  rememberOwnReview();
  expect(params()).toBe(`page=2&after=${Date.now()}`);
  expect(lastFor(11_999)).toEqual([true, true]);
  expect(lastFor(1)).toEqual([true, false]);
  expect(params()).toBe("page=2");
});

test("a review of another tab counts, and one of this tab where nothing can be stored", () => {
  vi.advanceTimersByTime(120_000);
  expect(hasRecentReview()).toBe(false);
  items.set("front-row-reviewed-at", String(Date.now()));
  expect(lastFor(12_000)).toEqual([true, false]);
  vi.stubGlobal("localStorage", undefined);
  rememberOwnReview();
  expect(lastFor(12_000)).toEqual([true, false]);
});

test("a clock that was set back does not lead past shared caches for ever", () => {
  rememberOwnReview();
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(hasRecentReview()).toBe(false);
});
