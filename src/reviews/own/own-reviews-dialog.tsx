import { type ReactNode, useId, useRef, useState } from "react";
import type { SignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { useAttempt } from "../../browser/requests/use-attempt.ts";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { wasAtFringe, YEAR } from "../../domain/programme.ts";
import { type Interaction, interactionLabels, type Tallies } from "../../domain/review.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { plural } from "../../lib/format.ts";
import { ShowFacts } from "../../ui/show-facts.tsx";
import { DialogToasts, useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { ReviewedShow } from "../dialog/review-dialog.tsx";
import { refusalTopic, submissionTopic } from "../dialog/review-texts.ts";
import { fullDay, isoDay } from "../notes/note-day.ts";
import { NoteText } from "../notes/note-text.tsx";
import { discardWaiting, type WaitingReview } from "../waiting/waiting-reviews-client.ts";
import { HiddenNotes } from "./hidden-notes.tsx";
import { objectTo, removeReview } from "./own-data-client.ts";
import { attemptFailed, objectionReceived, ownDataTopic, reviewDeleted } from "./own-reviews-texts.ts";

/** Shown at first, and added by each click on `Show more`. */
const SHOWN_AT_A_TIME = 50;

interface OwnReviewsDialogProps {
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
  const { reviews, waiting, sendWaiting, failed, reload, send, onChange, onRemoved, onClosed, children } =
    props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  const [shown, setShown] = useState(SHOWN_AT_A_TIME);
  const close = useModal(dialog, "h2");
  const showToast = useToast();
  const attempt = useAttempt(ownDataTopic);
  const [sending, runSending] = useSingleFlight();

  async function remove(review: OwnReview): Promise<void> {
    const tallies = await attempt(() => removeReview(send, review), attemptFailed("remove"));
    if (!tallies) return;
    onRemoved(review, tallies);
    showToast(reviewDeleted(review.title ?? review.show_id));
    focusHeading();
  }

  async function object(review: OwnReview, text: string): Promise<void> {
    const outcome = await attempt(() => objectTo(send, review, text), attemptFailed("object"));
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

interface OwnReviewItemProps {
  review: OwnReview;
  onChange: () => void;
  remove: () => Promise<void>;
  object: (text: string) => Promise<void>;
}

function OwnReviewItem({ review, onChange, remove, object }: OwnReviewItemProps) {
  const titleId = useId();
  const { title = review.show_id, audience_interaction: interaction, notes, created_at } = review;
  return (
    <li className="stack" data-interaction={interaction} aria-labelledby={titleId}>
      <ItemText show={review} {...{ titleId, title, interaction, notes }}>
        <time className="muted" dateTime={isoDay(created_at)}>
          {fullDay(created_at)}
        </time>
      </ItemText>
      {notes && review.hidden && <HiddenNotes hidden={review.hidden} titleId={titleId} object={object} />}
      {review.listed === false && <p className="muted">{whyUnlisted(review.year)}</p>}
      <ItemActions titleId={titleId} onChange={review.listed === false ? null : onChange} remove={remove} />
    </li>
  );
}

interface ItemTextProps {
  titleId: string;
  title: string;
  show: Pick<OwnReview, "artist" | "venue_name">;
  interaction: Interaction;
  notes: string | null;
  children: ReactNode;
}

function ItemText({ titleId, title, show, interaction, notes, children }: ItemTextProps) {
  return (
    <>
      <div id={titleId}>
        <h3 dir="auto">{title}</h3>
        <ShowFacts {...show} />
      </div>
      <p>
        <strong>{interactionLabels[interaction]}</strong> {children}
      </p>
      {notes && <NoteText text={notes} />}
    </>
  );
}

interface WaitingItemProps {
  review: WaitingReview;
  onChange: () => void;
  onDiscarded: () => void;
}

/** docs/product.md §14.6 */
function WaitingItem({ review, onChange, onDiscarded }: WaitingItemProps) {
  const titleId = useId();
  const dismissFailure = useDismissFailure();

  function discard(): void {
    discardWaiting(review);
    for (const topic of [refusalTopic(review.showId), submissionTopic]) dismissFailure(topic);
    onDiscarded();
  }

  return (
    <li className="stack" data-interaction={review.interaction} aria-labelledby={titleId}>
      <ItemText {...review} show={review} titleId={titleId}>
        <span className="muted">Not sent yet</span>
      </ItemText>
      {review.refusal !== undefined && <p className="field-error">{review.refusal}</p>}
      <div className="own-actions row">
        <button type="button" className="button" aria-describedby={titleId} onClick={onChange}>
          Change
        </button>
        <button type="button" className="button" aria-describedby={titleId} onClick={discard}>
          Discard
        </button>
      </div>
    </li>
  );
}

function whyUnlisted(year = YEAR): string {
  return year < YEAR ? wasAtFringe(year) : "This show is no longer in the list.";
}

interface ItemActionsProps {
  titleId: string;
  onChange: (() => void) | null;
  remove: () => Promise<void>;
}

/** Deleting asks once: the focused button stays, and becomes the confirmation. */
function ItemActions({ titleId, onChange, remove }: ItemActionsProps) {
  const [asking, setAsking] = useState(false);
  const [busy, run] = useSingleFlight();
  const deletion = useRef<HTMLButtonElement>(null);

  function keep(): void {
    if (busy) return;
    setAsking(false);
    deletion.current?.focus();
  }

  return (
    <div className="own-actions row">
      {asking && <p>Delete this review?</p>}
      {!asking && onChange && (
        <button type="button" className="button" aria-describedby={titleId} onClick={onChange}>
          Change
        </button>
      )}
      <button
        ref={deletion}
        type="button"
        className={asking ? "button button-strong" : "button"}
        aria-disabled={busy || undefined}
        aria-describedby={titleId}
        // The second click of a double click was meant for the button that asked.
        onClick={({ detail }) => (asking ? detail < 2 && run(remove) : setAsking(true))}
      >
        {!asking ? "Delete" : busy ? "Deleting..." : "Delete review"}
      </button>
      {asking && (
        <button type="button" className="button" onClick={keep}>
          Keep
        </button>
      )}
    </div>
  );
}
