import type { OwnReview } from "../../domain/review-dto.ts";

/** The reviews of a signed-in user, by show. */
export interface LoadedReviews {
  /** Null until they are loaded. */
  userId: string | null;
  byShow: ReadonlyMap<string, OwnReview>;
  /** Whether the last attempt to load them failed. */
  failed?: boolean;
}
