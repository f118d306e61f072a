import { useEffect, useEffectEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import { useToast } from "../../ui/toast.tsx";
import { signInFailed } from "./auth-texts.ts";
import { takeSignInReturn } from "./return-client.ts";
import type { SessionClient } from "./session-client.ts";

/** Finishes the sign-in that the browser came back from, or tells where it was started that it failed. */
export function SignInReturn({ client }: { client: SessionClient }) {
  const showToast = useToast();
  const navigate = useNavigate();
  const { pathname } = useLocation();

  const finish = useEffectEvent(async () => {
    const caught = takeSignInReturn();
    if (!caught) return;
    const { outcome, place } = caught;
    const failure = outcome.kind === "code" ? await exchange(client, outcome.code) : outcome;
    if (!failure) return;
    if (place === "auth-page" && pathname !== "/auth") await navigate("/auth", { replace: true });
    showToast(signInFailed(place, failure.message));
  });
  useEffect(() => {
    finish();
  }, []);
  return null;
}

/** Null when the code has become a session. What went wrong otherwise is for nobody's eyes. */
async function exchange(client: SessionClient, code: string): Promise<{ message: null } | null> {
  try {
    await client.finishSignIn(code);
    return null;
  } catch {
    return { message: null };
  }
}
