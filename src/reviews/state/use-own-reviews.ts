import { useLocation, useRevalidator } from "react-router";
import { type SignedInRequest, SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { useLoad } from "../../browser/use-load.ts";
import { useReturn } from "../../browser/use-return.ts";
import type { Tallies } from "../../domain/review.ts";
import type { OwnReview, SavedReview } from "../../domain/review-dto.ts";
import { parseShowQuery } from "../../domain/show-query.ts";
import { loadOwnReviews } from "./own-data-client.ts";
import type { ReviewState } from "./review-state.ts";
import type { SentReview } from "./sent-review.ts";

/** Also loads when the tab is shown: the user may have reviewed elsewhere (docs/product.md §3.8). */
export function useOwnReviews({ userId, own, setOwn, addSent }: ReviewState, send: SignedInRequest) {
  const { revalidate } = useRevalidator();
  const { search } = useLocation();
  const [failed, reload] = useLoad({
    key: userId,
    load: async (signal) => {
      if (userId === null) return;
      try {
        setOwn({ userId, byShow: await loadOwnReviews(send, userId, signal) });
      } catch (error) {
        if (!(error instanceof SignedOutError)) throw error;
        setOwn({ userId, byShow: new Map() });
      }
    },
    failure: "Your reviews could not be loaded:",
  });
  useReturn(reload, 0);

  /** Loads again afterwards: a response in flight may lack the change. */
  function change(sent: SentReview, edit: (byShow: Map<string, OwnReview>) => void): void {
    const { user_id: author } = sent.review;
    addSent(sent);
    // The page of one show counts its notes, or has all of them.
    if (parseShowQuery(new URLSearchParams(search)).show !== undefined) void revalidate();
    setOwn((last) => {
      const byShow = new Map(last.userId === author ? last.byShow : []);
      edit(byShow);
      return { userId: author, byShow };
    });
    reload();
  }

  return {
    /** Null until they are loaded. */
    reviewsOf: (author: string) => (own.userId === author ? own.byShow : null),
    failed,
    reload,
    addSaved({ review, reviews: tallies }: SavedReview): void {
      change({ review, isDeleted: false, tallies }, (byShow) =>
        byShow.set(review.show_id, { ...byShow.get(review.show_id), ...review }),
      );
    },
    removeDeleted(review: OwnReview, tallies: Tallies): void {
      change({ review, isDeleted: true, tallies }, (byShow) => byShow.delete(review.show_id));
    },
  };
}
