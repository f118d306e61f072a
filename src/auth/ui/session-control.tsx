import type { MouseEvent } from "react";
import { useToast } from "../../ui/toast.tsx";
import { useOneAtATime } from "../../ui/use-single-flight.ts";
import { signedOut, signOutFailed } from "./auth-texts.ts";
import { useAccounts, useSession } from "./session-provider.tsx";
import { useSignIn } from "./use-sign-in.ts";

/** Signs in with Google, or says who is signed in and signs out (docs/product.md §6.1). */
export function SessionControl() {
  const session = useSession();
  const signIn = useSignIn("header");
  const signOut = useSignOut();
  const [busy, run] = useOneAtATime();
  const user = session.status === "signed-in" ? session.user : null;

  function press({ detail }: MouseEvent): void {
    // The second click of a double click was meant for what the button said at the first.
    if (detail < 2) run(user ? signOut : () => signIn("google"));
  }

  // One button for both, so that it keeps the focus.
  return (
    <div className="session">
      {user && (
        <p className="session-email" title={user.email}>
          {user.email}
        </p>
      )}
      <button
        type="button"
        className="button"
        data-session={session.status}
        aria-disabled={busy || undefined}
        onClick={press}
      >
        {user ? "Sign Out" : "Sign In"}
      </button>
    </div>
  );
}

function useSignOut(): () => Promise<void> {
  const { client } = useAccounts();
  const showToast = useToast();
  return async () => {
    try {
      await client.signOut();
      showToast(signedOut);
    } catch {
      showToast(signOutFailed);
    }
  };
}
