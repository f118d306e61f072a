import { type FormEvent, type RefObject, useId, useRef, useState } from "react";
import { afterPaint } from "../../browser/after-paint.ts";
import { createDraft } from "../../browser/drafts-client.ts";
import type { UserSession } from "../../browser/requests/signed-in-request.ts";
import { useFailureToast } from "../../browser/requests/use-failure-toast.ts";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { isLong } from "../../domain/programme.ts";
import { interactions } from "../../domain/review.ts";
import type { Review, SavedReview } from "../../domain/review-dto.ts";
import { DialogToasts } from "../../ui/dialog-toasts.tsx";
import { ShowFacts } from "../../ui/show-facts.tsx";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { failureKindOf, type NewReview, type SubmitReview } from "../state/review-api-client.ts";
import type { ReviewedShow } from "../state/review-state.ts";
import {
  notSentYet,
  offerToWait,
  submissionFailed,
  submissionTopic,
  submitted,
} from "../state/review-texts.ts";
import { canWait, letWait, type WaitingReview } from "../waiting/waiting-reviews-client.ts";
import { InteractionField } from "./interaction-field.tsx";
import { NotesField } from "./notes-field.tsx";

type Content = Pick<NewReview, "interaction" | "notes">;

interface ReviewDialogProps {
  show: ReviewedShow;
  userId: string;
  earlier: Review | undefined;
  /** Whether it starts with the earlier review. */
  isChange: boolean;
  waiting: WaitingReview | undefined;
  session: UserSession;
  submit: SubmitReview;
  onSaved: (saved: SavedReview) => void;
  onClosed: () => void;
}

export function ReviewDialog(props: ReviewDialogProps) {
  const { show, earlier, isChange, onClosed } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { content, busy, edit, send, cancel, leave } = useReviewForm(props, dialog);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onCancel={leave} onClose={onClosed}>
      {/* For notes that are too long, the toast of docs/product.md §5.9 replaces the browser's message. */}
      <form noValidate onSubmit={send}>
        <div className="dialog-content stack">
          <div>
            <h2
              id={titleId}
              className="dialog-title"
              tabIndex={-1}
              data-long={isLong(show.title) || undefined}
            >
              Review: <bdi>{show.title}</bdi>
            </h2>
            <ShowFacts {...show} />
          </div>
          <InteractionField
            interaction={content.interaction}
            onChange={(interaction) => edit({ interaction })}
            reuseEarlier={earlier && !isChange ? () => edit(contentOf(earlier)) : undefined}
          />
          <NotesField
            interaction={content.interaction}
            notes={content.notes}
            readOnly={busy}
            onChange={(notes) => edit({ notes })}
          />
        </div>
        <DialogToasts />
        <div className="dialog-actions row">
          <button type="button" className="button" onClick={cancel}>
            Cancel
          </button>
          <button type="submit" className="button button-strong" aria-disabled={busy || undefined}>
            {busy ? "Submitting..." : "Submit Review"}
          </button>
        </div>
        <p className="sr-only" aria-live="polite">
          {busy && "Your review is on its way."}
        </p>
      </form>
    </dialog>
  );
}

/** What is typed, and what the buttons do. */
function useReviewForm(props: ReviewDialogProps, dialog: RefObject<HTMLDialogElement | null>) {
  const { show, userId, isChange, session, submit, onSaved } = props;
  const ids = { showId: show.id, userId };
  const [draft] = useState(() => createDraft(userId, show.id));
  const [content, setContent] = useState(() => startOf(props, draft.read()));
  // For the offer in a toast, which stays while its author types.
  const typed = useRef(content);
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const orToast = useFailureToast(submissionTopic);
  const [busy, run] = useSingleFlight();
  const close = useModal(dialog, isChange ? "textarea" : "input:checked", isChange);

  function edit(change: Partial<Content>): void {
    if (busy) return;
    typed.current = { ...content, ...change };
    setContent(typed.current);
    draft.save(typed.current.interaction, typed.current.notes);
  }

  function send(event: FormEvent): void {
    event.preventDefault();
    void run(async () => {
      await afterPaint();
      const saved = await orToast(
        () => submit({ ...ids, ...content }),
        (error) => {
          const toast = submissionFailed(error);
          return failureKindOf(error) === "unanswered" && canWait(ids)
            ? offerToWait(toast, sendLater)
            : toast;
        },
      );
      if (!saved) return;
      onSaved(saved);
      draft.discardSent(content.interaction, content.notes);
      await close();
      // After the dialog has closed: otherwise the toast would be announced twice.
      setTimeout(showToast, 0, submitted);
    });
  }

  function sendLater(): void {
    void run(async () => {
      const { title, artist, venue_name } = show;
      const { interaction, notes } = typed.current;
      const review = { ...ids, interaction, notes, title, artist, venue_name, at: Date.now() };
      if (!(await orToast(() => letWait(review, session), submissionFailed)))
        // The toast with the focused button is gone.
        return dialog.current?.querySelector("textarea")?.focus();
      draft.discardSent(interaction, notes);
      leave();
      await close();
      setTimeout(showToast, 0, notSentYet);
    });
  }

  function cancel(): void {
    leave();
    // Keeps the draft when the session has ended, or when the review in flight may still fail.
    if (session.current().user?.id === userId && !busy) draft.discard();
    void close();
  }

  // Not on unmount: a failure that comes after the dialog has closed must stay on screen.
  function leave(): void {
    dismissFailure(submissionTopic);
  }

  return { content, busy, edit, send, cancel, leave };
}

function startOf({ waiting, isChange, earlier }: ReviewDialogProps, draft: string[]): Content {
  const [chosen, notes = ""] = draft;
  const interaction = interactions.find((option) => option === chosen);
  if (interaction) return { interaction, notes };
  if (waiting) return { interaction: waiting.interaction, notes: waiting.notes };
  return isChange && earlier ? contentOf(earlier) : { interaction: "no", notes: "" };
}

function contentOf({ audience_interaction: interaction, notes }: Review): Content {
  return { interaction, notes: notes ?? "" };
}
