import type { Dispatch, SetStateAction } from "react";
import type { ApiRequest } from "../../browser/requests/api-request-client.ts";
import type { UserSession } from "../../browser/requests/signed-in-request.ts";
import type { Provider } from "../../domain/account.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import type { ListedShow } from "../../domain/show.ts";
import type { SentReview } from "./sent-review.ts";

export type ReviewedShow = Pick<ListedShow, "id" | "title" | "artist"> &
  Partial<Pick<ListedShow, "venue_name">>;

export interface ReportedNote {
  id: string;
  text: string;
}

/** `button` gets the focus back. `isChange`: from `Your reviews`, which then opens at `changedShowId`. */
export type OpenDialog = { button: HTMLElement } & (
  | { kind: "review"; userId: string; show: ReviewedShow; isChange?: true }
  | { kind: "own"; userId: string; changedShowId?: string }
  | { kind: "sign-out"; userId: string }
  | { kind: "report"; note: ReportedNote }
);

export interface OwnReviews {
  /** Null until they are loaded. */
  userId: string | null;
  byShow: ReadonlyMap<string, OwnReview>;
}

export interface AccountActions {
  providers: readonly Provider[];
  /** `isProof`: the provider must authenticate the user again. */
  signIn: (provider: Provider, isProof: boolean) => Promise<void>;
  /** Ends all sessions, and shows a toast. Returns whether it worked. */
  signOut: () => Promise<boolean>;
  forget: () => Promise<void>;
}

/** Of `ReviewsProvider`. The script of the dialogs, which loads later, reads and changes it. */
export interface ReviewState {
  userId: string | null;
  session: UserSession;
  account: AccountActions;
  request: ApiRequest;
  dialog: OpenDialog | null;
  setDialog: (dialog: OpenDialog | null) => void;
  own: OwnReviews;
  setOwn: Dispatch<SetStateAction<OwnReviews>>;
  /** Of a note; its button says so from then on. */
  addReported: (id: string) => void;
  /** Cards show it at once. */
  addSent: (sent: SentReview) => void;
}
