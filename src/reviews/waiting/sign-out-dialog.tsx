import { useId, useRef, useState } from "react";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { DialogToasts, useDismissFailure } from "../../ui/toast.tsx";
import { submissionTopic } from "../dialog/review-texts.ts";
import { waitingKeys } from "./waiting-count.ts";

interface SignOutDialogProps {
  userId: string;
  /** Shows a toast. Returns whether it worked. */
  signOut: () => Promise<boolean>;
  onClosed: () => void;
}

/** docs/product.md §14.8 */
export function SignOutDialog({ userId, signOut, onClosed }: SignOutDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const close = useModal(dialog, "button");
  const [busy, run] = useSingleFlight();
  const dismissFailure = useDismissFailure();
  const [count] = useState(() => waitingKeys(userId).length);

  async function finish(): Promise<void> {
    if (!(await signOut())) return;
    dismissFailure(submissionTopic);
    await close();
  }

  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClosed}>
      <div className="dialog-content stack">
        <h2 id={titleId} className="dialog-title" tabIndex={-1}>
          {count === 1 ? "1 review is" : `${count} reviews are`} not sent yet. Sign out anyway?
        </h2>
        <div className="dialog-actions row">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            className="button button-strong"
            aria-disabled={busy || undefined}
            // The second click of a double click was meant for the button that asked.
            onClick={({ detail }) => detail < 2 && run(finish)}
          >
            Sign Out
          </button>
        </div>
      </div>
      <DialogToasts />
    </dialog>
  );
}
