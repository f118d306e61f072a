import { forgetReturnTo, recallReturnTo } from "../../../browser/return-to-client.ts";
import { orNull } from "../../../browser/storage.ts";
import type { Toast } from "../../../ui/toasts.ts";
import { signInUnavailable, tooManySignIns } from "../../failure-messages.ts";
import { bannedSignIn } from "../account-end-texts.ts";
import { type SignInPlace, signInError, signInFailed } from "../auth-texts.ts";
import type { SessionClient } from "../session/session-client.ts";
import { RETRYABLE_ERROR, SESSION_KEY } from "../session/session-store.ts";

interface FinishOptions {
  client: SessionClient;
  operatorEmail: string | null;
  /** Navigates without a new history entry. Resolves when the new page is on screen. */
  replacePage: (address: string) => Promise<void>;
  showToast: (toast: Toast) => void;
}

export interface StartedSignIn {
  place: SignInPlace;
  attemptId: string | null | undefined;
}

/** Without a place if this tab has not left for a provider. */
export interface OAuthCallback extends Partial<StartedSignIn> {
  /** Parameters and path of the URL, which anyone may have written. */
  returned: {
    pathname: string;
    code?: string;
    error?: string;
    error_code?: string;
    error_description?: string;
    /** auth-js's parameter for the id of an attempt. */
    sb_flow_id?: string;
  };
}

interface SignInFailure {
  errorCode: unknown;
  message: string | null;
}

/**
 * Exchanges the code and restores the return-to page, or shows the failure's toast. Believes a callback if this
 * browser has the attempt's verifier, or this tab has left for a provider.
 */
export async function finishSignIn(
  { returned, place: startedAt, attemptId }: OAuthCallback,
  { client, operatorEmail, replacePage, showToast }: FinishOptions,
): Promise<void> {
  const { pathname, sb_flow_id: returnedId, code, error, error_code, error_description } = returned;
  const isOwn = returnedId !== undefined && hasVerifier(returnedId);
  const isSuccess = code && (error ?? error_code ?? error_description) === undefined;
  if (isSuccess && !isOwn && (!startedAt || returnedId !== attemptId)) {
    if (returnedId !== undefined && haveServerForm(code, returnedId)) showToast(begunElsewhere);
    return;
  }
  if (!isOwn && !startedAt) return;
  const failure = isSuccess
    ? await exchangeCode(client, code, returnedId)
    : // The URL's text is the provider's only if it has the id of a sign-in that began here.
      { errorCode: error_code, message: isOwn ? toMessage(error_description) : siteMessage(error_code) };
  const place = pathname === "/auth" || startedAt === "auth-page" ? "auth-page" : "header";
  if (place === "header" || !failure) await restorePage(replacePage, !failure);
  else if (window.location.pathname !== "/auth") await replacePage("/auth");
  if (failure) showToast(failureToast(place, failure, operatorEmail));
}

/** In characters. Anyone can write a URL with a message of any length. */
const MAX_MESSAGE = 300;

function toMessage(text = ""): string | null {
  const line = text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, " ").trim();
  return [...line].slice(0, MAX_MESSAGE).join("") || null;
}

/** Whether code and id have the form in which the server and auth-js write them. */
function haveServerForm(code: string, attemptId: string): boolean {
  return /^[\w-]{8,128}$/.test(code) && /^[\w-]{8,64}$/.test(attemptId);
}

/** Whether auth-js has the verifier of this attempt. Others cannot guess its id. */
function hasVerifier(attemptId: string): boolean {
  return orNull(() => window.localStorage.getItem(`${SESSION_KEY}-flow-${attemptId}-code-verifier`)) !== null;
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

/** Returns null, or the failure without its message: those of auth-js are for developers. */
async function exchangeCode(client: SessionClient, code: string, attemptId: string | undefined) {
  try {
    await client.finishSignIn(code, attemptId);
    return null;
  } catch (error) {
    if (error instanceof Error && error.name === RETRYABLE_ERROR)
      return { errorCode: "unavailable", message: siteMessage("unavailable") };
    return { errorCode: error instanceof Error && "code" in error ? error.code : null, message: null };
  }
}

function failureToast(
  place: SignInPlace,
  { errorCode, message }: SignInFailure,
  operatorEmail: string | null,
): Toast {
  if (errorCode === "user_banned") return bannedSignIn(place, operatorEmail);
  if (errorCode === "reauthentication_needed" && message) return signInError(place, message);
  const isExpired = errorCode === "bad_oauth_state" || errorCode === "flow_state_expired";
  return isExpired ? signInError(place, signInExpired[place]) : signInFailed(place, message);
}

/** For an error code that anyone may have put into the URL. Null for the general message. */
function siteMessage(errorCode: string | undefined): string | null {
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
