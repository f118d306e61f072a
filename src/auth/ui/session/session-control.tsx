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
  asksBeforeSignOut: (button: HTMLElement) => boolean;
}

export function SessionControl({ openOwnReviews, notSent, asksBeforeSignOut }: SessionControlProps) {
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
      {notSent > 0 && <p className="session-waiting">{notSent} not sent</p>}
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
          <button type="button" className="button" aria-haspopup="dialog" onClick={open}>
            Your reviews
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
