import { useId, useRef, useState } from "react";
import { useModal } from "../../browser/use-modal.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { DialogToasts } from "../../ui/dialog-toasts.tsx";
import { useDismissFailure } from "../../ui/toast.tsx";
import { submissionTopic } from "../state/review-texts.ts";
import { useWaitingCount } from "../state/waiting-count.ts";

interface SignOutDialogProps {
  userId: string;
  /** Shows a toast. Returns whether it worked. */
  signOut: () => Promise<boolean>;
  onClosed: () => void;
}

export function SignOutDialog({ userId, signOut, onClosed }: SignOutDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const close = useModal(dialog, ".dialog-actions button");
  const [busy, run] = useSingleFlight();
  const dismissFailure = useDismissFailure();
  const waiting = useWaitingCount(userId);
  /** How many the user has agreed to lose. Signing out removes them before the dialog has closed. */
  const [agreed, setAgreed] = useState<number | null>(null);
  const count = agreed ?? waiting;

  async function finish(): Promise<void> {
    setAgreed(waiting);
    if (!(await signOut())) return setAgreed(null);
    dismissFailure(submissionTopic);
    await close();
  }

  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClosed}>
      <div className="dialog-content stack">
        <h2 id={titleId} className="dialog-title" tabIndex={-1}>
          {question(count)}
        </h2>
        {count > 0 && <p>{count === 1 ? "It" : "They"} will be deleted from this phone.</p>}
      </div>
      <DialogToasts />
      <div className="dialog-actions row">
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className={count > 0 ? "button button-danger button-strong" : "button button-strong"}
          aria-disabled={busy || undefined}
          onClick={() => run(finish)}
        >
          {count > 0 ? "Delete and sign out" : "Sign Out"}
        </button>
      </div>
    </dialog>
  );
}

function question(count: number): string {
  if (count === 0) return "No review waits any more. Sign out?";
  return `${count === 1 ? "1 review is" : `${count} reviews are`} not sent yet. Sign out anyway?`;
}
