import { useNavigate } from "react-router";
import { rethrowProgrammingError } from "../../../browser/programming-error.ts";
import { isSiteReachable } from "../../../browser/requests/reach-site-client.ts";
import type { Provider } from "../../../domain/account.ts";
import { useToast } from "../../../ui/toast.tsx";
import { type SignInPlace, signInFailed } from "../auth-texts.ts";
import { useAccounts } from "../session/session-provider.tsx";

export function useSignIn(place: SignInPlace): (provider: Provider, isProof?: boolean) => Promise<void> {
  const { client, providers } = useAccounts();
  const showToast = useToast();
  const navigate = useNavigate();

  return async (provider, isProof) => {
    const started =
      (await isSiteReachable()) && (await import("./start-sign-in-client.ts").catch(rethrowProgrammingError));
    if (!started) return showToast(signInFailed("header"));
    await started.startSignIn(provider, { place, client, providers, showToast, navigate, isProof });
  };
}
