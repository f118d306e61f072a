import { useId, useRef, useState } from "react";
import type { SignedInRequest, UserSession } from "../../browser/requests/signed-in-request.ts";
import { useFailureToast } from "../../browser/requests/use-failure-toast.ts";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { plural } from "../../lib/format.ts";
import { DialogToasts } from "../../ui/dialog-toasts.tsx";
import { useToast } from "../../ui/toast.tsx";
import { objectTo, removeReview } from "../state/own-data-client.ts";
import { actionFailed, objectionReceived, ownDataTopic, reviewDeleted } from "../state/own-reviews-texts.ts";
import type { AccountActions, ReviewedShow } from "../state/review-state.ts";
import type { useOwnReviews } from "../state/use-own-reviews.ts";
import type { WaitingReview } from "../waiting/waiting-reviews-client.ts";
import { OwnAccount } from "./own-account.tsx";
import { OwnReviewItem, WaitingItem } from "./own-review-items.tsx";

/** Shown at first, and added by each click on `Show more`. */
const SHOWN_AT_A_TIME = 50;

interface OwnReviewsDialogProps {
  userId: string;
  /** The show of the review that the dialog before this one was for. */
  changedShowId: string | undefined;
  session: UserSession;
  account: AccountActions;
  send: SignedInRequest;
  own: ReturnType<typeof useOwnReviews>;
  waiting: readonly WaitingReview[];
  sendNow: () => Promise<void>;
  onChange: (show: ReviewedShow) => void;
  onClosed: () => void;
}

export function OwnReviewsDialog(props: OwnReviewsDialogProps) {
  const { userId, changedShowId, session, account, send, own, waiting, sendNow, onChange, onClosed } = props;
  const { failed, reload } = own;
  const byShow = own.reviewsOf(userId);
  const reviews = byShow && sortNewestFirst(byShow);
  const { email } = session.current().user ?? {};
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  const [shown, setShown] = useState(SHOWN_AT_A_TIME);
  const close = useModal(
    dialog,
    changedShowId ? `[data-show="${CSS.escape(changedShowId)}"] .own-actions button` : "h2",
    true,
  );
  const showToast = useToast();
  const orToast = useFailureToast(ownDataTopic);
  const [sending, runSending] = useSingleFlight();

  async function remove(review: OwnReview): Promise<void> {
    const tallies = await orToast(() => removeReview(send, review), actionFailed("remove"));
    if (!tallies) return;
    own.removeDeleted(review, tallies);
    showToast(reviewDeleted(review.title ?? review.show_id));
    focusHeading();
  }

  async function object(review: OwnReview, text: string): Promise<void> {
    const outcome = await orToast(() => objectTo(send, review, text), actionFailed("object"));
    if (!outcome) return;
    reload();
    if (outcome === "objected") showToast(objectionReceived);
    focusHeading();
  }

  /** The focused button disappears with a deleted review, and with a sent objection. */
  function focusHeading(): void {
    heading.current?.focus();
  }

  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClosed}>
      <div className="dialog-content stack">
        <div className="own-head row">
          <h2 ref={heading} id={titleId} className="dialog-title" tabIndex={-1}>
            Your reviews
          </h2>
          <button type="button" className="button" onClick={close}>
            Close
          </button>
        </div>
        {email && <p className="muted">{`Signed in as ${email}`}</p>}
        {waiting.some(({ refusal }) => refusal === undefined) && (
          <button
            type="button"
            className="button fit"
            aria-disabled={sending || undefined}
            onClick={() => runSending(() => sendNow().finally(focusHeading))}
          >
            {sending ? "Sending..." : "Send now"}
          </button>
        )}
        {waiting.length > 0 && (
          <ul className="own-reviews stack" aria-label="Not sent yet">
            {waiting.map((review) => (
              <WaitingItem
                key={review.showId}
                review={review}
                onChange={() => onChange({ ...review, id: review.showId })}
                onDiscarded={focusHeading}
              />
            ))}
          </ul>
        )}
        <p role="status" className="muted">
          {summary(reviews, failed)}
        </p>
        {reviews === null && failed && (
          <button type="button" className="button fit" onClick={reload}>
            Try again
          </button>
        )}
        {reviews !== null && reviews.length > 0 && (
          <ul className="own-reviews stack">
            {reviews.slice(0, shown).map((review) => (
              <OwnReviewItem
                key={review.show_id}
                review={review}
                onChange={() => {
                  const { show_id: id, title = id, artist = null, venue_name = null } = review;
                  onChange({ id, title, artist, venue_name });
                }}
                remove={() => remove(review)}
                object={(text) => object(review, text)}
              />
            ))}
          </ul>
        )}
        {reviews !== null && reviews.length > shown && (
          <button type="button" className="button" onClick={() => setShown(shown + SHOWN_AT_A_TIME)}>
            Show more
          </button>
        )}
        <OwnAccount {...{ userId, send, account }} onClosed={onClosed} />
      </div>
      <DialogToasts />
    </dialog>
  );
}

function summary(reviews: readonly OwnReview[] | null, failed: boolean): string {
  if (reviews === null) return failed ? "Your reviews could not be loaded." : "Loading your reviews...";
  return reviews.length === 0 ? "You have not reviewed any show yet." : plural(reviews.length, "review");
}

function sortNewestFirst(reviews: ReadonlyMap<string, OwnReview>): OwnReview[] {
  return [...reviews.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}
