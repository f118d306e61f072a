import { type ComponentType, type Dispatch, type SetStateAction, useEffect, useMemo, useState } from "react";
import { useRevalidator } from "react-router";
import { afterPaint } from "../../browser/after-paint.ts";
import type { ApiRequest } from "../../browser/api-request-client.ts";
import { type Draft, discardDraftsOf } from "../../browser/drafts-client.ts";
import { createSignedInRequest, type ReviewerSession } from "../../browser/signed-in-request.ts";
import type { Tallies } from "../../domain/review.ts";
import type { OwnReview, Review, SavedReview } from "../../domain/review-dto.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { Toast } from "../../ui/toast-store.ts";
import { createReviewApi, type Outcome } from "../dialog/review-api-client.ts";
import { ReviewDialog, type ReviewedShow } from "../dialog/review-dialog.tsx";
import {
  authenticationRequired,
  notesTooLong,
  submissionLimited,
  submissionTopic,
  submitFailed,
  submitted,
} from "../dialog/review-texts.ts";
import type { OpenReport, ReporterProps } from "../notes/open-report.ts";
import type { LoadedReviews } from "../own/loaded-reviews.ts";
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
import { useOwnReviews } from "../own/use-own-reviews.ts";

/** The dialog that is open, who has opened it, and by which button. */
export interface OpenDialog {
  /** The show that is reviewed; null when the dialog is that of the user's own reviews. */
  show: ReviewedShow | null;
  userId: string;
  button: HTMLElement;
}

export interface ReviewerProps {
  /** The signed-in user, or null. */
  userId: string | null;
  session: ReviewerSession;
  account: AccountActions;
  request: ApiRequest;
  dialog: OpenDialog | OpenReport | null;
  setDialog: (dialog: OpenDialog | null) => void;
  /** The signed-in user's reviews. */
  loaded: LoadedReviews;
  setLoaded: Dispatch<SetStateAction<LoadedReviews>>;
  /** Called with a saved review, and with the one that it replaces, if that is known. */
  onSaved: (saved: SavedReview, replaced: Review | undefined) => void;
  /** Called with a deleted review, and with the show's new tallies. */
  onRemoved: (review: Review, tallies: Tallies) => void;
}

/**
 * What only signed-in users and reporters of notes need: the users' own reviews, and all dialogs. It is
 * given the one that reports a note.
 */
export function Reviewer(props: ReviewerProps & { Reporter: ComponentType<ReporterProps> }) {
  const { userId, session, account, request, setDialog, loaded, setLoaded, Reporter } = props;
  const dialog = props.dialog && "userId" in props.dialog ? props.dialog : null;
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const { revalidate } = useRevalidator();
  const [send] = useState(() => createSignedInRequest(request, session));
  const [api] = useState(() => createReviewApi({ request, send, session }));
  const { add, remove, reload } = useOwnReviews({ userId, api, failed: loaded.failed ?? false, setLoaded });
  const openedBy = dialog?.userId;
  const ownDataApi = useMemo(() => (openedBy ? createOwnDataApi(send, openedBy) : null), [send, openedBy]);
  useEffect(() => {
    if (dialog) reload();
  }, [dialog, reload]);
  useEffect(() => {
    if (userId) dismissFailure(submissionTopic);
  }, [userId, dismissFailure]);
  if (props.dialog && "note" in props.dialog)
    return <Reporter {...props.dialog} api={{ request, send, session }} onClosed={() => setDialog(null)} />;
  if (!dialog || !ownDataApi) return null;
  const { show, userId: reviewerId, button } = dialog;
  const ownReviews = loaded.userId === reviewerId ? loaded.byShow : null;

  async function submit({ id }: ReviewedShow, draft: Draft): Promise<Outcome["kind"]> {
    dismissFailure(submissionTopic);
    const outcome = await api.submit({ showId: id, userId: reviewerId, ...draft });
    if (outcome.kind === "saved") {
      props.onSaved(outcome.saved, ownReviews?.get(id));
      add(reviewerId, outcome.saved.review);
    }
    if (outcome.kind !== "saved")
      showToast((outcome.kind === "signed-out" && account.endToast()) || toastOf(outcome));
    return outcome.kind;
  }

  async function removeReview(review: OwnReview): Promise<boolean> {
    dismissFailure(ownDataTopic);
    const tallies = await ownDataApi?.removeReview(review.show_id);
    if (!tallies || typeof tallies === "string" || "limitEnd" in tallies) {
      showToast(attemptFailed("remove", tallies ?? "failed", account.endToast()));
      return false;
    }
    props.onRemoved(review, tallies);
    remove(review.show_id);
    showToast(reviewDeleted(review.title ?? review.show_id));
    return true;
  }

  async function object(review: OwnReview, text: string): Promise<boolean> {
    dismissFailure(ownDataTopic);
    const outcome = (await ownDataApi?.object(review.show_id, text)) ?? "failed";
    const done = outcome === "objected" || outcome === "settled";
    if (done) reload();
    if (outcome !== "settled")
      showToast(
        outcome === "objected" ? objectionReceived : attemptFailed("object", outcome, account.endToast()),
      );
    return done;
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

  async function finishDeletion(): Promise<void> {
    discardDraftsOf(reviewerId, () => window.sessionStorage);
    close();
    showToast(accountDeleted);
    await account.forget().catch((error) => console.error("The session could not be forgotten:", error));
    await revalidate();
  }

  if (!show)
    return (
      <OwnReviewsDialog
        key={reviewerId}
        reviews={ownReviews && sortNewestFirst(ownReviews)}
        failed={loaded.failed ?? false}
        reload={reload}
        onChange={({ show_id: id, title = id, artist = null }) =>
          setDialog({ ...dialog, show: { id, title, artist } })
        }
        remove={removeReview}
        object={object}
        onClosed={close}
      >
        <OwnAccount api={ownDataApi} account={account} onDeleted={finishDeletion} />
      </OwnReviewsDialog>
    );
  return (
    <ReviewDialog
      key={`${reviewerId} ${show.id}`}
      show={show}
      userId={reviewerId}
      earlier={ownReviews?.get(show.id)}
      isSignedIn={() => session.current().user?.id === reviewerId}
      submit={(draft) => submit(show, draft)}
      // Once the dialog is gone: in it, too, the toast would be announced.
      onSaved={() => setTimeout(showToast, 0, submitted)}
      onClosed={close}
    />
  );
}

function toastOf(outcome: Exclude<Outcome, { kind: "saved" }>): Toast {
  if (outcome.kind === "limited") return submissionLimited(outcome.by, outcome.end);
  return outcomeToasts[outcome.kind];
}

const outcomeToasts = {
  "signed-out": authenticationRequired,
  "too-long": notesTooLong,
  failed: submitFailed,
};

function sortNewestFirst(reviews: ReadonlyMap<string, OwnReview>): OwnReview[] {
  return [...reviews.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}
