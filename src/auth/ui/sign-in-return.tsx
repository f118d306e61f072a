import { useEffect, useEffectEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import { useToast } from "../../ui/toast.tsx";
import { signInFailed } from "./auth-texts.ts";
import { takeSignInReturn } from "./return-client.ts";
import { isExpiry } from "./return-url.ts";
import type { SessionClient } from "./session-client.ts";

/** Finishes a sign-in after the redirect back, or shows a failure where the sign-in was started. */
export function SignInReturn({ client }: { client: SessionClient }) {
  const showToast = useToast();
  const navigate = useNavigate();
  const { pathname } = useLocation();

  const finish = useEffectEvent(async () => {
    const captured = takeSignInReturn();
    if (!captured) return;
    const { outcome, place } = captured;
    const failure = outcome.kind === "code" ? await exchangeCode(client, outcome) : outcome;
    if (!failure) return;
    if (place === "auth-page" && pathname !== "/auth") await navigate("/auth", { replace: true });
    showToast(signInFailed(place, failure.message, failure.expired));
  });
  useEffect(() => {
    finish();
  }, []);
  return null;
}

/** Exchanges the code for a session. Returns null, or a failure without details, which visitors do not see. */
async function exchangeCode(
  client: SessionClient,
  { code, flowId }: { code: string; flowId: string | undefined },
): Promise<{ message: null; expired: boolean } | null> {
  try {
    await client.finishSignIn(code, flowId);
    return null;
  } catch (error) {
    return { message: null, expired: error instanceof Error && "code" in error && isExpiry(error.code) };
  }
}
