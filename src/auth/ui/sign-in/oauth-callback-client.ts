import { forgetReturnTo, recallReturnTo } from "../../../browser/return-to-client.ts";
import { attempt } from "../../../browser/storage.ts";
import type { Toast } from "../../../ui/toasts.ts";
import { signInUnavailable, tooManySignIns } from "../../failure-messages.ts";
import { bannedSignIn } from "../account-end-texts.ts";
import { type SignInPlace, signInError, signInFailed } from "../auth-texts.ts";
import type { SessionClient } from "../session/session-client.ts";
import { RETRYABLE_ERROR, SESSION_KEY } from "../session/session-store.ts";
import { isWellFormedCallback, parseCallback, type SignInOutcome } from "./callback-url.ts";

interface CallbackOptions {
  client: SessionClient;
  operatorEmail: string | null;
  /** Navigates without a new history entry. Resolves when the new page is on screen. */
  replacePage: (address: string) => Promise<void>;
  showToast: (toast: Toast) => void;
}

/** Exchanges the code and restores the return-to page, or shows the failure's toast. */
export type FinishSignIn = (options: CallbackOptions) => Promise<void>;

export interface StartedAttempt {
  place: SignInPlace;
  attemptId: string | undefined;
}

/**
 * Reads a callback if this browser has the attempt's verifier or this tab has left for a provider. From other
 * links it only removes a code. `address` is the URL without the callback. `finish` finishes the sign-in, or
 * says that it was begun elsewhere.
 */
export function captureCallback(
  returned: string,
  started: StartedAttempt | null,
): { address: string; finish?: FinishSignIn } | null {
  const parsed = parseCallback(returned);
  if (!parsed) return null;
  const { outcome, attemptId, address } = parsed;
  const isOwn = attemptId !== undefined && hasVerifier(attemptId);
  const isForeignCode = !isOwn && outcome.kind === "code" && (!started || attemptId !== started.attemptId);
  if (!isOwn && !isForeignCode && !started) return null;
  if (isForeignCode) {
    const isElsewhere = attemptId !== undefined && isWellFormedCallback(outcome.code, attemptId);
    return { address, ...(isElsewhere && { finish: async ({ showToast }) => showToast(begunElsewhere) }) };
  }
  const onAuthPage = new URL(address).pathname === "/auth" || started?.place === "auth-page";
  const place = onAuthPage ? "auth-page" : "header";
  const finishSignIn: FinishSignIn = async ({ client, operatorEmail, replacePage, showToast }) => {
    const failure = await finish(client, isOwn ? outcome : withoutText(outcome), attemptId);
    if (place === "header" || !failure) await restorePage(replacePage, !failure);
    else if (window.location.pathname !== "/auth") await replacePage("/auth");
    if (failure) showToast(callbackFailed(place, failure, operatorEmail));
  };
  return { address, finish: finishSignIn };
}

/** After success, also repeats the click that asked to sign in (docs/product.md §6.20). */
async function restorePage(replacePage: (address: string) => Promise<void>, signedIn: boolean) {
  const page = recallReturnTo();
  if (!page) return;
  const { pathname, search } = window.location;
  if (page.address !== pathname + search) await replacePage(page.address);
  window.scrollTo(0, page.scroll);
  if (!signedIn) return;
  forgetReturnTo();
  if (page.pressed) document.getElementById(page.pressed)?.click();
}

/** Whether auth-js has the verifier of this attempt. Others cannot guess its id. */
function hasVerifier(attemptId: string): boolean {
  return (
    attempt(() => window.localStorage.getItem(`${SESSION_KEY}-flow-${attemptId}-code-verifier`)) !== null
  );
}

/** Replaces the message, which anyone may have written, by the site's message for the error code. */
function withoutText(outcome: SignInOutcome): SignInOutcome {
  return outcome.kind === "code" ? outcome : { ...outcome, message: anonymousMessage(outcome.errorCode) };
}

const unavailable: SignInFailure = { errorCode: "unavailable", message: anonymousMessage("unavailable") };

/** Returns null, or the failure without its message: those of auth-js are for developers. */
async function finish(client: SessionClient, outcome: SignInOutcome, attemptId: string | undefined) {
  if (outcome.kind === "error") return outcome;
  try {
    await client.finishSignIn(outcome.code, attemptId);
    return null;
  } catch (error) {
    if (error instanceof Error && error.name === RETRYABLE_ERROR) return unavailable;
    return { errorCode: error instanceof Error && "code" in error ? error.code : null, message: null };
  }
}

interface SignInFailure {
  errorCode: unknown;
  message: string | null;
}

function callbackFailed(
  place: SignInPlace,
  { errorCode, message }: SignInFailure,
  operatorEmail: string | null,
): Toast {
  if (errorCode === "user_banned") return bannedSignIn(place, operatorEmail);
  if (errorCode === "reauthentication_needed" && message) return signInError(place, message);
  const isExpired = errorCode === "bad_oauth_state" || errorCode === "flow_state_expired";
  return isExpired ? signInError(place, signInExpired[place]) : signInFailed(place, message);
}

/** The message for an error code that anyone may have put into the URL; null for the general message. */
function anonymousMessage(errorCode: string | null): string | null {
  if (errorCode === "over_request_rate_limit") return tooManySignIns;
  const isUnavailable = errorCode === "unexpected_failure" || errorCode === "unavailable";
  return isUnavailable ? signInUnavailable("your provider") : null;
}

/** For a browser that gets a callback but did not start the attempt. */
const begunElsewhere = signInError("header", "Please finish signing in in the browser where you began.");

const signInExpired: Record<SignInPlace, string> = {
  header: "It took too long. Please press Sign In again.",
  "auth-page": "Signing in took too long. Please press the button again.",
};
