import { useEffect, useState } from "react";
import { useLocation, useRevalidator } from "react-router";
import { afterPaint } from "../browser/after-paint.ts";
import { createSignedInRequest } from "../browser/requests/signed-in-request.ts";
import { discardUserData } from "../browser/user-data-client.ts";
import type { Tallies } from "../domain/review.ts";
import type { OwnReview, SavedReview } from "../domain/review-dto.ts";
import { parseShowQuery } from "../domain/show-query.ts";
import { ReportDialog } from "../moderation/ui/report-dialog.tsx";
import { createSubmitReview } from "../reviews/dialog/review-api-client.ts";
import { ReviewDialog } from "../reviews/dialog/review-dialog.tsx";
import { refusalTopic, submissionTopic } from "../reviews/dialog/review-texts.ts";
import { OwnAccount } from "../reviews/own/own-account.tsx";
import { OwnReviewsDialog } from "../reviews/own/own-reviews-dialog.tsx";
import { accountDeleted, ownDataTopic } from "../reviews/own/own-reviews-texts.ts";
import { useOwnReviews } from "../reviews/own/use-own-reviews.ts";
import type { DialogsProps } from "../reviews/provider/reviews-provider.tsx";
import { rememberSent, type SentReview } from "../reviews/provider/sent-review.ts";
import { submitBeforeWaiting } from "../reviews/waiting/send-waiting-client.ts";
import { SignOutDialog } from "../reviews/waiting/sign-out-dialog.tsx";
import { useWaitingReviews } from "../reviews/waiting/use-waiting-reviews.ts";
import { useDismissFailure, useToast } from "../ui/toast.tsx";

/** Not part of the first load. Its script also has the modules that only this module imports. */
export function Dialogs(props: DialogsProps) {
  const { userId, session, account, request, dialog, setDialog, loaded, setLoaded, onSent } = props;
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const { revalidate } = useRevalidator();
  const { search } = useLocation();
  const [send] = useState(() => createSignedInRequest(request, session));
  const [submit] = useState(() => createSubmitReview(send));
  const { waiting, sendNow } = useWaitingReviews({ userId, session, submit, onSaved: addSaved });
  const { failed, reload, change } = useOwnReviews(userId, send, setLoaded);
  useEffect(() => {
    if (dialog && "userId" in dialog) reload();
    if (dialog && "show" in dialog && dialog.show) dismissFailure(refusalTopic(dialog.show.id));
  }, [dialog, reload, dismissFailure]);
  useEffect(() => {
    if (userId) dismissFailure(submissionTopic);
  }, [userId, dismissFailure]);

  function addSent(sent: SentReview): void {
    onSent(sent);
    rememberSent(sent);
    // The page of one show also has totals of its notes.
    if (parseShowQuery(new URLSearchParams(search)).show !== undefined) void revalidate();
  }

  function addSaved({ review, reviews: tallies }: SavedReview): void {
    addSent({ review, isDeleted: false, tallies });
    change(review.user_id, (byShow) =>
      byShow.set(review.show_id, { ...byShow.get(review.show_id), ...review }),
    );
  }

  if (!dialog) return null;

  const { button } = dialog;
  function close(): void {
    setDialog(null);
    dismissFailure(ownDataTopic);
    if (button.isConnected) {
      // Safari does not focus a clicked button, so the dialog cannot restore the focus by itself.
      button.focus();
      // The first review makes the card grow above the button.
      void afterPaint().then(() => button.scrollIntoView({ block: "nearest" }));
    } else document.getElementById("shows")?.focus({ preventScroll: true });
  }

  if ("note" in dialog)
    return <ReportDialog note={dialog.note} api={{ request, send, session }} onClosed={close} />;

  const { userId: author } = dialog;
  if ("signOut" in dialog)
    return <SignOutDialog userId={author} signOut={account.signOut} onClosed={close} />;

  const { show } = dialog;
  const ownReviews = loaded.userId === author ? loaded.byShow : null;

  function removeDeleted(review: OwnReview, tallies: Tallies): void {
    addSent({ review, isDeleted: true, tallies });
    change(author, (byShow) => byShow.delete(review.show_id));
  }

  async function askAndSignOut(): Promise<boolean> {
    if (waiting.length === 0) return account.signOut();
    setDialog({ button, signOut: true, userId: author });
    return false;
  }

  async function finishDeletion(): Promise<void> {
    discardUserData(author);
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
        waiting={waiting}
        sendWaiting={sendNow}
        failed={failed}
        reload={reload}
        send={send}
        onChange={(changed) => setDialog({ ...dialog, show: changed })}
        onRemoved={removeDeleted}
        onClosed={close}
      >
        <OwnAccount
          userId={author}
          send={send}
          account={{ ...account, signOut: askAndSignOut }}
          onDeleted={finishDeletion}
          onSignedOut={close}
        />
      </OwnReviewsDialog>
    );
  return (
    <ReviewDialog
      key={`${author} ${show.id}`}
      show={show}
      userId={author}
      earlier={ownReviews?.get(show.id)}
      waiting={waiting.find(({ showId }) => showId === show.id)}
      session={session}
      submit={(review) => submitBeforeWaiting(review, submit)}
      onSaved={addSaved}
      onClosed={close}
    />
  );
}

function sortNewestFirst(reviews: ReadonlyMap<string, OwnReview>): OwnReview[] {
  return [...reviews.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}
