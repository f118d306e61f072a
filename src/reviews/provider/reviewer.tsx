import { type ComponentType, type Dispatch, type SetStateAction, useEffect, useMemo, useState } from "react";
import { useRevalidator } from "react-router";
import { afterPaint } from "../../browser/after-paint.ts";
import { discardDraftsOf } from "../../browser/drafts-client.ts";
import type { ApiRequest } from "../../browser/requests/api-request-client.ts";
import {
  createSignedInRequest,
  type SignedInRequest,
  type UserSession,
} from "../../browser/requests/signed-in-request.ts";
import { useAttempt } from "../../browser/requests/use-attempt.ts";
import type { Tallies } from "../../domain/review.ts";
import type { OwnReview, Review, SavedReview } from "../../domain/review-dto.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { createSubmitReview } from "../dialog/review-api-client.ts";
import { ReviewDialog, type ReviewedShow } from "../dialog/review-dialog.tsx";
import { submissionTopic } from "../dialog/review-texts.ts";
import { type AccountActions, OwnAccount } from "../own/own-account.tsx";
import { createOwnDataApi } from "../own/own-data-client.ts";
import { OwnReviewsDialog } from "../own/own-reviews-dialog.tsx";
import {
  accountDeleted,
  attemptFailed,
  objectionReceived,
  ownDataTopic,
  reviewDeleted,
} from "../own/own-reviews-texts.ts";
import { type LoadedReviews, useOwnReviews } from "../own/use-own-reviews.ts";

/** The dialog of a show's review or of the user's own reviews, who has opened it, and by which button. */
interface OpenReview {
  /** The show that is reviewed; null when the dialog is that of the user's own reviews. */
  show: ReviewedShow | null;
  userId: string;
  button: HTMLElement;
}

/** The dialog that reports a note, and the element that gets the focus once it is closed. */
interface OpenReport {
  note: { id: string; text: string };
  button: HTMLElement;
}

/** The dialog that is open. */
export type OpenDialog = OpenReview | OpenReport;

interface ReportDialogProps extends OpenReport {
  api: { request: ApiRequest; send: SignedInRequest; session: UserSession };
  onClosed: () => void;
}

export interface ReviewerProps {
  /** The signed-in user, or null. */
  userId: string | null;
  session: UserSession;
  account: AccountActions;
  request: ApiRequest;
  dialog: OpenDialog | null;
  setDialog: (dialog: OpenDialog | null) => void;
  /** The signed-in user's reviews. */
  loaded: LoadedReviews;
  setLoaded: Dispatch<SetStateAction<LoadedReviews>>;
  /** Called with a saved review, or null if it was deleted, and with the one before, if that is known. */
  onSent: (showId: string, review: Review | null, tallies: Tallies, replaced: Review | undefined) => void;
  ReportDialog: ComponentType<ReportDialogProps>;
}

/**
 * What only signed-in users and reporters of notes need: the users' own reviews, and all dialogs. It is given
 * the one that reports a note.
 */
export function Reviewer(props: ReviewerProps) {
  const { userId, session, account, request, dialog, setDialog, loaded, setLoaded, onSent } = props;
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const attempt = useAttempt(ownDataTopic);
  const { revalidate } = useRevalidator();
  const [send] = useState(() => createSignedInRequest(request, session));
  const [submit] = useState(() => createSubmitReview(send));
  const { add, remove, reload } = useOwnReviews({ userId, send, failed: loaded.failed ?? false, setLoaded });
  const review = dialog && "userId" in dialog ? dialog : null;
  const author = review?.userId;
  const ownData = useMemo(() => (author ? createOwnDataApi(send, author) : null), [send, author]);
  useEffect(() => {
    if (review) reload();
  }, [review, reload]);
  useEffect(() => {
    if (userId) dismissFailure(submissionTopic);
  }, [userId, dismissFailure]);
  if (dialog && "note" in dialog)
    return (
      <props.ReportDialog {...dialog} api={{ request, send, session }} onClosed={() => setDialog(null)} />
    );
  if (!review || !author || !ownData) return null;
  const { show, button } = review;
  const { removeReview, object } = ownData;
  const ownReviews = loaded.userId === author ? loaded.byShow : null;

  function addSaved({ review, reviews }: SavedReview): void {
    onSent(review.show_id, review, reviews, ownReviews?.get(review.show_id));
    add(review.user_id, review);
  }

  async function removeOwn(review: OwnReview): Promise<boolean> {
    const tallies = await attempt(
      () => removeReview(review.show_id),
      (error) => attemptFailed("remove", error),
    );
    if (!tallies) return false;
    onSent(review.show_id, null, tallies, review);
    remove(review.show_id);
    showToast(reviewDeleted(review.title ?? review.show_id));
    return true;
  }

  async function objectTo(review: OwnReview, text: string): Promise<boolean> {
    const outcome = await attempt(
      () => object(review.show_id, text),
      (error) => attemptFailed("object", error),
    );
    if (outcome) reload();
    if (outcome === "objected") showToast(objectionReceived);
    return outcome !== undefined;
  }

  function close(): void {
    setDialog(null);
    dismissFailure(submissionTopic);
    dismissFailure(ownDataTopic);
    if (button.isConnected) {
      // Safari does not focus a clicked button, so the dialog cannot restore the focus by itself.
      button.focus();
      // The card grows above it with its first review.
      void afterPaint().then(() => button.scrollIntoView({ block: "nearest" }));
    } else document.getElementById("shows")?.focus({ preventScroll: true });
  }

  async function finishDeletion(userId: string): Promise<void> {
    discardDraftsOf(userId);
    close();
    showToast(accountDeleted);
    await account.forget().catch((error) => console.error("The session could not be forgotten:", error));
    await revalidate();
  }

  if (!show)
    return (
      <OwnReviewsDialog
        key={author}
        reviews={ownReviews && sortNewestFirst(ownReviews)}
        failed={loaded.failed ?? false}
        reload={reload}
        onChange={({ show_id: id, title = id, artist = null }) =>
          setDialog({ ...review, show: { id, title, artist } })
        }
        remove={removeOwn}
        object={objectTo}
        onClosed={close}
      >
        <OwnAccount api={ownData} account={account} onDeleted={() => finishDeletion(author)} />
      </OwnReviewsDialog>
    );
  return (
    <ReviewDialog
      key={`${author} ${show.id}`}
      show={show}
      userId={author}
      earlier={ownReviews?.get(show.id)}
      isSignedIn={() => session.current().user?.id === author}
      submit={submit}
      onSaved={addSaved}
      onClosed={close}
    />
  );
}

function sortNewestFirst(reviews: ReadonlyMap<string, OwnReview>): OwnReview[] {
  return [...reviews.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}
