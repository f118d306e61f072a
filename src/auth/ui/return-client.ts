import { anonymousMessage, type SignInPlace } from "./auth-texts.ts";
import { parseSignInReturn, type SignInOutcome } from "./return-url.ts";
import { SESSION_KEY } from "./session-store.ts";

/** The result of a sign-in, its id, and where it was started. */
export interface CapturedReturn {
  outcome: SignInOutcome;
  flowId: string | undefined;
  place: SignInPlace;
}

/** The session storage key of the place where this tab started its last sign-in. */
export const PLACE_KEY = "front-row-sign-in-place";

let captured: CapturedReturn | null = null;

/**
 * Captures a sign-in's result from the URL and removes it there, if this browser keeps the sign-in's verifier
 * or this tab has left for a provider. Parameters of any other link stay as they are. Must run before the
 * router reads the URL.
 */
export function captureSignInReturn(): void {
  const startedOn = takePlace();
  const parsed = parseSignInReturn(window.location.href);
  if (!parsed) return;
  const { outcome, flowId, address } = parsed;
  const isOwn = flowId !== undefined && hasVerifier(flowId);
  if (!isOwn && startedOn === null) return;
  const onAuthPage = window.location.pathname === "/auth" || startedOn === "auth-page";
  captured = {
    outcome: isOwn ? outcome : withoutText(outcome),
    flowId,
    place: onAuthPage ? "auth-page" : "header",
  };
  // The absolute URL: a path that begins with two slashes would name another host.
  window.history.replaceState(window.history.state, "", address);
}

/** Whether auth-js keeps the verifier of this sign-in. Nobody else can guess its id. */
function hasVerifier(flowId: string): boolean {
  try {
    return window.localStorage.getItem(`${SESSION_KEY}-flow-${flowId}-code-verifier`) !== null;
  } catch {
    return false;
  }
}

/** Replaces a message that anyone may have written by our own for its error code. */
function withoutText(outcome: SignInOutcome): SignInOutcome {
  return outcome.kind === "code" ? outcome : { ...outcome, message: anonymousMessage(outcome.errorCode) };
}

/** Returns the captured result once; null if there is none, or it was taken before. */
export function takeSignInReturn(): CapturedReturn | null {
  const taken = captured;
  captured = null;
  return taken;
}

/** Stores in this tab where a sign-in is started. */
export function rememberSignInPlace(place: SignInPlace): void {
  try {
    window.sessionStorage.setItem(PLACE_KEY, place);
  } catch {
    // Without the stored place a failure is reported on the list, which is acceptable (docs/product.md §6.3).
  }
}

function takePlace(): string | null {
  try {
    const place = window.sessionStorage.getItem(PLACE_KEY);
    window.sessionStorage.removeItem(PLACE_KEY);
    return place;
  } catch {
    return null;
  }
}
