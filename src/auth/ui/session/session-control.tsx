import type { MouseEvent } from "react";
import { rethrowProgrammingError } from "../../../browser/programming-error.ts";
import { useSingleFlight } from "../../../browser/use-single-flight.ts";
import { useToast } from "../../../ui/toast.tsx";
import { signedOut, signOutFailed } from "../auth-texts.ts";
import { useSignIn } from "../sign-in/use-sign-in.ts";
import { useAccounts, useSession } from "./session-provider.tsx";

interface SessionControlProps {
  openOwnReviews: (button: HTMLElement) => void;
  notSent: number;
  /** Whether others cannot see a note of the user's. */
  hasHidden: boolean;
  asksBeforeSignOut: (button: HTMLElement) => boolean;
}

export function SessionControl(props: SessionControlProps) {
  const { openOwnReviews, notSent, hasHidden, asksBeforeSignOut } = props;
  const session = useSession();
  const signIn = useSignIn("header");
  const signOut = useSignOut();
  const [busy, run] = useSingleFlight();
  const user = session.status === "signed-in" ? session.user : null;

  function handleClick({ detail, currentTarget }: MouseEvent<HTMLElement>): void {
    // The second click of a double click must not press the button under its new label.
    if (detail >= 2 || (user && asksBeforeSignOut(currentTarget))) return;
    void run(user ? signOut : () => signIn("google"));
  }

  function open({ currentTarget }: MouseEvent<HTMLElement>): void {
    openOwnReviews(currentTarget);
  }

  // The same button element in both states keeps the focus.
  return (
    <div className="session row">
      {notSent > 0 && (
        <button type="button" className="session-waiting" aria-haspopup="dialog" onClick={open}>
          {`${notSent} not sent`}
        </button>
      )}
      {user && (
        <>
          <button
            type="button"
            className="session-email"
            title={user.email}
            aria-haspopup="dialog"
            onClick={open}
          >
            {user.email}
          </button>
          <button
            type="button"
            className="button session-own"
            title={hasHidden ? "A note of yours is hidden" : undefined}
            aria-haspopup="dialog"
            onClick={open}
          >
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="10" cy="6" r="4" />
              <path d="M2 19a8 8 0 0116 0" />
            </svg>
            <span>Your reviews</span>
          </button>
        </>
      )}
      <button
        type="button"
        className="button"
        data-session={session.status}
        aria-disabled={busy || undefined}
        onClick={handleClick}
      >
        {user ? "Sign Out" : "Sign In"}
      </button>
    </div>
  );
}

/** Shows a toast. Returns whether the user is signed out. */
export function useSignOut(): () => Promise<boolean> {
  const { client } = useAccounts();
  const showToast = useToast();
  return async () => {
    try {
      await client.signOut();
      showToast(signedOut);
      return true;
    } catch (error) {
      rethrowProgrammingError(error);
      showToast(signOutFailed);
      return false;
    }
  };
}
