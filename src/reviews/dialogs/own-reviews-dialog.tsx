import { type ReactNode, useId, useRef, useState } from "react";
import type { SignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { useFailureToast } from "../../browser/requests/use-failure-toast.ts";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import type { Tallies } from "../../domain/review.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { plural } from "../../lib/format.ts";
import { DialogToasts, useToast } from "../../ui/toast.tsx";
import { objectTo, removeReview } from "../state/own-data-client.ts";
import { actionFailed, objectionReceived, ownDataTopic, reviewDeleted } from "../state/own-reviews-texts.ts";
import type { ReviewedShow } from "../state/review-state.ts";
import type { WaitingReview } from "../waiting/waiting-reviews-client.ts";
import { OwnReviewItem, WaitingItem } from "./own-review-items.tsx";

/** Shown at first, and added by each click on `Show more`. */
const SHOWN_AT_A_TIME = 50;

interface OwnReviewsDialogProps {
  email: string | undefined;
  reviews: readonly OwnReview[] | null;
  waiting: readonly WaitingReview[];
  sendWaiting: () => Promise<void>;
  failed: boolean;
  reload: () => void;
  send: SignedInRequest;
  onChange: (show: ReviewedShow) => void;
  onRemoved: (review: OwnReview, tallies: Tallies) => void;
  onClosed: () => void;
  children: ReactNode;
}

/** docs/product.md §6.19 */
export function OwnReviewsDialog(props: OwnReviewsDialogProps) {
  const {
    email,
    reviews,
    waiting,
    sendWaiting,
    failed,
    reload,
    send,
    onChange,
    onRemoved,
    onClosed,
    children,
  } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  const [shown, setShown] = useState(SHOWN_AT_A_TIME);
  const close = useModal(dialog, "h2");
  const showToast = useToast();
  const orToast = useFailureToast(ownDataTopic);
  const [sending, runSending] = useSingleFlight();

  async function remove(review: OwnReview): Promise<void> {
    const tallies = await orToast(() => removeReview(send, review), actionFailed("remove"));
    if (!tallies) return;
    onRemoved(review, tallies);
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
            onClick={() => runSending(() => sendWaiting().finally(focusHeading))}
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
        {children}
      </div>
      <DialogToasts />
    </dialog>
  );
}

function summary(reviews: readonly OwnReview[] | null, failed: boolean): string {
  if (reviews === null) return failed ? "Your reviews could not be loaded." : "Loading your reviews...";
  return reviews.length === 0 ? "You have not reviewed any show yet." : plural(reviews.length, "review");
}
