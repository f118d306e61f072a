/**
 * For this time after a review, in ms, shared caches may answer without it: what they serve is fresh for a
 * second and then stale for ten (docs/product.md §9.8).
 */
const SHARED_STALENESS = 12_000;

const KEY = "front-row-reviewed-at";

let reviewedAt = 0;

/** Remembers in all tabs that a review was just written in this browser. */
export function rememberOwnReview(): void {
  reviewedAt = Date.now();
  try {
    localStorage.setItem(KEY, String(reviewedAt));
  } catch {}
}

/** Whether shared caches may not have this browser's last review yet. */
export function hasRecentReview(): boolean {
  try {
    reviewedAt = Number(localStorage.getItem(KEY)) || reviewedAt;
  } catch {}
  return Math.abs(Date.now() - reviewedAt) < SHARED_STALENESS;
}

/** Adds to the parameters of a request what leads past shared caches, as long as they may be too old. */
export function pastSharedCaches(params: URLSearchParams): URLSearchParams {
  if (hasRecentReview()) params.set("after", String(reviewedAt));
  return params;
}
