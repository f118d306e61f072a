import { useEffect, useEffectEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import { useToast } from "../../ui/toast.tsx";
import { anonymousMessage, type SignInFailure, signInFailed } from "./auth-texts.ts";
import { takeSignInReturn } from "./return-client.ts";
import { RETRYABLE_ERROR, type SessionClient } from "./session-client.ts";

/** Finishes a sign-in after the redirect back, or shows a failure where the sign-in was started. */
export function SignInReturn({ client }: { client: SessionClient }) {
  const showToast = useToast();
  const navigate = useNavigate();
  const { pathname } = useLocation();

  const finish = useEffectEvent(async () => {
    const captured = takeSignInReturn();
    if (!captured) return;
    const { outcome, flowId, place } = captured;
    const failure = outcome.kind === "code" ? await exchangeCode(client, outcome.code, flowId) : outcome;
    if (!failure) return;
    if (place === "auth-page" && pathname !== "/auth") await navigate("/auth", { replace: true });
    showToast(signInFailed(place, failure));
  });
  useEffect(() => {
    finish();
  }, []);
  return null;
}

const unavailable: SignInFailure = { errorCode: "unavailable", message: anonymousMessage("unavailable") };

/**
 * Exchanges the code for a session. Returns null, or a failure without its message, which is for developers.
 */
async function exchangeCode(
  client: SessionClient,
  code: string,
  flowId?: string,
): Promise<SignInFailure | null> {
  try {
    await client.finishSignIn(code, flowId);
    return null;
  } catch (error) {
    if (error instanceof Error && error.name === RETRYABLE_ERROR) return unavailable;
    return { errorCode: error instanceof Error && "code" in error ? error.code : null, message: null };
  }
}
