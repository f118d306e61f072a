import { useEffect, useState } from "react";
import { afterPaint } from "../browser/after-paint.ts";
import { createSignedInRequest } from "../browser/requests/signed-in-request.ts";
import { ReportDialog } from "../moderation/ui/report-dialog.tsx";
import { OwnReviewsDialog } from "../reviews/dialogs/own-reviews-dialog.tsx";
import { ReviewDialog } from "../reviews/dialogs/review-dialog.tsx";
import { SignOutDialog } from "../reviews/dialogs/sign-out-dialog.tsx";
import { ownDataTopic } from "../reviews/state/own-reviews-texts.ts";
import { createSubmitReview } from "../reviews/state/review-api-client.ts";
import type { ReviewState } from "../reviews/state/review-state.ts";
import { refusalTopic, submissionTopic } from "../reviews/state/review-texts.ts";
import { useOwnReviews } from "../reviews/state/use-own-reviews.ts";
import { submitInPlaceOf } from "../reviews/waiting/send-waiting-client.ts";
import { useWaitingReviews } from "../reviews/waiting/use-waiting-reviews.ts";
import { useDismissFailure } from "../ui/toast.tsx";

/** Not part of the first load. Its script also has the modules that only this module imports. */
export function Dialogs(state: ReviewState) {
  const { session, account, request, dialog, setDialog } = state;
  const { send, submit, own, waiting, sendNow } = useSessionReviews(state);
  const dismissFailure = useDismissFailure();
  if (!dialog) return null;

  const { button } = dialog;
  function close(): void {
    setDialog(null);
    dismissFailure(ownDataTopic);
    returnFocus(button);
  }

  switch (dialog.kind) {
    case "review": {
      const { userId, show, isChange = false } = dialog;
      const replaced = waiting.find(({ showId }) => showId === show.id);
      return (
        <ReviewDialog
          key={`${userId} ${show.id}`}
          show={show}
          userId={userId}
          earlier={own.reviewsOf(userId)?.get(show.id)}
          isChange={isChange}
          waiting={replaced}
          session={session}
          submit={replaced ? (review) => submitInPlaceOf(replaced, review, submit) : submit}
          onSaved={own.addSaved}
          onClosed={
            isChange ? () => setDialog({ kind: "own", userId, changedShowId: show.id, button }) : close
          }
        />
      );
    }
    case "own": {
      const { userId, changedShowId } = dialog;
      return (
        <OwnReviewsDialog
          key={userId}
          {...{ userId, changedShowId, session, account, send, own, waiting, sendNow }}
          onChange={(show) => setDialog({ kind: "review", userId, show, isChange: true, button })}
          onClosed={close}
        />
      );
    }
    case "sign-out":
      return <SignOutDialog userId={dialog.userId} signOut={account.signOut} onClosed={close} />;
    case "report":
      return (
        <ReportDialog
          note={dialog.note}
          api={{ request, send, session }}
          onReported={() => state.addReported(dialog.note.id)}
          onClosed={close}
        />
      );
  }
}

/** Loads the user's own reviews and sends waiting ones, also while no dialog is open. */
function useSessionReviews(state: ReviewState) {
  const { userId, session, request, dialog } = state;
  const dismissFailure = useDismissFailure();
  const [send] = useState(() => createSignedInRequest(request, session));
  const [submit] = useState(() => createSubmitReview(send));
  const own = useOwnReviews(state, send);
  const { waiting, sendNow } = useWaitingReviews({ userId, session, submit, onSaved: own.addSaved });
  const { reload } = own;
  useEffect(() => {
    if (dialog?.kind === "review" || dialog?.kind === "own") reload();
    if (dialog?.kind === "review") dismissFailure(refusalTopic(dialog.show.id));
  }, [dialog, reload, dismissFailure]);
  useEffect(() => {
    if (userId) dismissFailure(submissionTopic);
  }, [userId, dismissFailure]);
  return { send, submit, own, waiting, sendNow };
}

function returnFocus(button: HTMLElement): void {
  if (!button.isConnected) {
    document.getElementById("shows")?.focus({ preventScroll: true });
    return;
  }
  // Safari does not focus a clicked button, so the dialog cannot restore the focus by itself.
  button.focus();
  // The first review makes the card grow above the button.
  void afterPaint().then(() => button.scrollIntoView({ block: "nearest" }));
}
