import { type FormEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { isLong, type ListedShow } from "../../domain/show.ts";
import { painted } from "../../ui/after-paint.ts";
import { DialogToasts } from "../../ui/toast.tsx";
import { useOneAtATime } from "../../ui/use-single-flight.ts";
import { type Draft, keeperOf } from "./drafts-client.ts";
import { InteractionField } from "./interaction-field.tsx";
import { NotesField } from "./notes-field.tsx";
import type { Outcome } from "./review-api-client.ts";

interface ReviewDialogProps {
  show: ListedShow;
  userId: string;
  /** The user has reviewed the show before. */
  replaces: boolean;
  /** Whether the user still is signed in at this moment. */
  isSignedIn: () => boolean;
  /** Sends a review and tells what became of it. */
  submit: (draft: Draft) => Promise<Outcome["kind"]>;
  onClosed: () => void;
}

/** Asks for a review of a show (docs/product.md §5.3). It is there for as long as it is open. */
export function ReviewDialog({ show, userId, replaces, isSignedIn, submit, onClosed }: ReviewDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [keeper] = useState(() => keeperOf(() => window.sessionStorage, { showId: show.id, userId }));
  const [draft, setDraft] = useState(keeper.read);
  const [busy, run] = useOneAtATime();
  useOpen(dialog);

  function edit(change: Partial<Draft>): void {
    // What is on its way cannot be changed any more, and what is changed then would be lost.
    if (busy) return;
    setDraft({ ...draft, ...change });
    keeper.keep({ ...draft, ...change });
  }

  function send(event: FormEvent): void {
    event.preventDefault();
    run(async () => {
      await painted();
      if ((await submit(draft)) !== "saved") return;
      keeper.dropSent(draft);
      dialog.current?.close();
    });
  }

  function cancel(): void {
    // Who has to sign in again has no other way out, and what is on its way may fail.
    if (isSignedIn() && !busy) keeper.drop();
    dialog.current?.close();
  }

  return (
    <dialog ref={dialog} className="review" aria-labelledby={titleId} onClose={onClosed}>
      <form className="review-form" onSubmit={send}>
        <div>
          <h2 id={titleId} className="review-title" data-long={isLong(show.title) || undefined}>
            {`Review: ${show.title}`}
          </h2>
          {show.artist && <p className="card-artist">{`by ${show.artist}`}</p>}
        </div>
        <InteractionField interaction={draft.interaction} onChange={(interaction) => edit({ interaction })}>
          {replaces && "You have reviewed this show before. What you send now replaces your earlier review."}
        </InteractionField>
        <NotesField notes={draft.notes} readOnly={busy} onChange={(notes) => edit({ notes })} />
        <div className="review-actions">
          <button type="button" className="button" onClick={cancel}>
            Cancel
          </button>
          <button
            type="submit"
            className="button button-strong"
            aria-disabled={busy || undefined}
            // The second click of a double click was meant for what was here at the first.
            onClick={(event) => event.detail > 1 && event.preventDefault()}
          >
            {busy ? "Submitting..." : "Submit Review"}
          </button>
        </div>
        <p className="sr-only" aria-live="polite">
          {busy && "Your review is on its way."}
        </p>
      </form>
      <DialogToasts />
    </dialog>
  );
}

/** Opens the dialog with the focus on the chosen answer: the first thing that is asked. */
function useOpen(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("input:checked")?.focus();
  }, [dialog]);
}
