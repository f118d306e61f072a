import type { Dispatch, SetStateAction } from "react";
import { type SignedInRequest, SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { useReturn } from "../../browser/use-return.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { useLoad } from "../provider/use-load.ts";
import { loadOwnReviews } from "./own-data-client.ts";

export interface OwnReviews {
  /** Null until they are loaded. */
  userId: string | null;
  byShow: ReadonlyMap<string, OwnReview>;
}

/** Also loads when the tab is shown: the user may have reviewed elsewhere (docs/product.md §3.8). */
export function useOwnReviews(
  userId: string | null,
  send: SignedInRequest,
  setLoaded: Dispatch<SetStateAction<OwnReviews>>,
) {
  const [failed, reload] = useLoad({
    key: userId,
    load: async (signal) => {
      if (userId === null) return;
      try {
        setLoaded({ userId, byShow: await loadOwnReviews(send, userId, signal) });
      } catch (error) {
        if (!(error instanceof SignedOutError)) throw error;
        setLoaded({ userId, byShow: new Map() });
      }
    },
    failure: "Your reviews could not be loaded:",
  });
  useReturn(reload, 0);

  /** Loads again afterwards: a response in flight may lack the change. */
  function change(ofUser: string, edit: (byShow: Map<string, OwnReview>) => void): void {
    setLoaded((last) => {
      const byShow = new Map(last.userId === ofUser ? last.byShow : []);
      edit(byShow);
      return { userId: ofUser, byShow };
    });
    reload();
  }

  return { failed, reload, change };
}
