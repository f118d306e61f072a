import { type FormEvent, useId, useRef } from "react";
import { shownText } from "../../domain/shown-text.ts";
import { DialogToasts } from "../../ui/toast.tsx";
import { useSingleFlight } from "../../ui/use-single-flight.ts";
import { ReportFields } from "./report-fields.tsx";
import { useModal } from "./use-modal.ts";

interface ReportDialogProps {
  /** The text of the note. */
  text: string;
  /** Sends a report. Resolves with whether it was sent. */
  send: (fields: FormData) => Promise<boolean>;
  onClosed: () => void;
}

/** The dialog that reports a note (docs/product.md §13.4). It is open for as long as it is mounted. */
export function ReportDialog({ text, send, onClosed }: ReportDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [busy, run] = useSingleFlight();
  useModal(dialog, "input");

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    run(async () => {
      if (await send(fields)) dialog.current?.close();
    });
  }

  return (
    <dialog ref={dialog} className="review" aria-labelledby={titleId} onClose={onClosed}>
      <form className="review-form" onSubmit={submit}>
        <h2 id={titleId} className="review-title" tabIndex={-1}>
          Report a note
        </h2>
        <blockquote className="report-note" dir="auto">
          {shownText(text)}
        </blockquote>
        <ReportFields />
        <div className="review-actions">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="button button-strong" aria-disabled={busy || undefined}>
            {busy ? "Sending..." : "Send"}
          </button>
        </div>
      </form>
      <DialogToasts />
    </dialog>
  );
}
