import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { wasAtFringe, YEAR } from "../../domain/programme.ts";
import { OBJECTION_MAX } from "../../domain/report.ts";
import { type Interaction, interactionLabels } from "../../domain/review.ts";
import { isoDay } from "../../domain/review-day.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { CountedText } from "../../ui/counted-text.tsx";
import { ShowFacts } from "../../ui/show-facts.tsx";
import { useDismissFailure } from "../../ui/toast.tsx";
import { NoteText } from "../notes/note-text.tsx";
import { objectionSent, rules } from "../state/own-reviews-texts.ts";
import { refusalTopic, submissionTopic } from "../state/review-texts.ts";
import { discardWaiting, type WaitingReview } from "../waiting/waiting-reviews-client.ts";

interface OwnReviewItemProps {
  review: OwnReview;
  onChange: () => void;
  remove: () => Promise<void>;
  object: (text: string) => Promise<void>;
}

export function OwnReviewItem({ review, onChange, remove, object }: OwnReviewItemProps) {
  const titleId = useId();
  const { title = review.show_id, audience_interaction: interaction, notes, created_at } = review;
  return (
    <Item
      {...{ titleId, title, interaction, notes }}
      showId={review.show_id}
      show={review}
      status={
        <time className="muted" dateTime={isoDay(created_at)}>
          {fullDay(created_at)}
        </time>
      }
    >
      {notes && review.hidden && <HiddenNotes hidden={review.hidden} titleId={titleId} object={object} />}
      {review.listed === false && <p className="muted">{whyUnlisted(review.year)}</p>}
      <ItemActions titleId={titleId} onChange={review.listed === false ? null : onChange} remove={remove} />
    </Item>
  );
}

interface ItemProps {
  titleId: string;
  showId: string;
  title: string;
  show: Pick<OwnReview, "artist" | "venue_name">;
  interaction: Interaction;
  notes: string | null;
  status: ReactNode;
  children: ReactNode;
}

function Item({ titleId, showId, title, show, interaction, notes, status, children }: ItemProps) {
  return (
    <li className="stack" data-show={showId} data-interaction={interaction} aria-labelledby={titleId}>
      <div id={titleId}>
        <h3 dir="auto">{title}</h3>
        <ShowFacts {...show} />
      </div>
      <p>
        <strong>{interactionLabels[interaction]}</strong> {status}
      </p>
      {notes && <NoteText text={notes} />}
      {children}
    </li>
  );
}

interface WaitingItemProps {
  review: WaitingReview;
  onChange: () => void;
  onDiscarded: () => void;
}

export function WaitingItem({ review, onChange, onDiscarded }: WaitingItemProps) {
  const titleId = useId();
  const dismissFailure = useDismissFailure();

  function discard(): void {
    discardWaiting(review);
    for (const topic of [refusalTopic(review.showId), submissionTopic]) dismissFailure(topic);
    onDiscarded();
  }

  return (
    <Item {...review} show={review} titleId={titleId} status={<span className="muted">Not sent yet</span>}>
      {review.refusal !== undefined && <p className="field-error">{review.refusal}</p>}
      <div className="own-actions row">
        <button type="button" className="button" aria-describedby={titleId} onClick={onChange}>
          Change
        </button>
        <button type="button" className="button button-danger" aria-describedby={titleId} onClick={discard}>
          Discard
        </button>
      </div>
    </Item>
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
        className={asking ? "button button-danger button-strong" : "button button-danger"}
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

interface HiddenNotesProps {
  hidden: NonNullable<OwnReview["hidden"]>;
  titleId: string;
  object: (text: string) => Promise<void>;
}

function HiddenNotes({ hidden: { rule, objection }, titleId, object }: HiddenNotesProps) {
  const [busy, run] = useSingleFlight();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("text"));
    void run(() => object(text));
  }

  return (
    <div className="callout own-hidden stack">
      <p>
        <strong>Others can't see these notes.</strong> The rule: {rules[rule]} Your answer still counts.
      </p>
      {objection === "sent" && <p>{objectionSent}</p>}
      {objection === "possible" && (
        <details>
          <summary aria-describedby={titleId}>Object</summary>
          <form className="field" onSubmit={submit}>
            <CountedText
              label="Why should they be shown? You can object once."
              name="text"
              max={OBJECTION_MAX}
              required
            />
            <button type="submit" className="button fit" aria-disabled={busy || undefined}>
              {busy ? "Sending..." : "Send objection"}
            </button>
          </form>
        </details>
      )}
    </div>
  );
}

/** In full: `12 August 2026`. */
export function fullDay(time: string): string {
  const day = new Date(isoDay(time));
  return day.toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
}
