import { attempt } from "../../../browser/storage.ts";
import { type SignInPlace, signInFailed } from "../auth-texts.ts";
import { CALLBACK_KEY } from "../session/session-store.ts";
import type { FinishSignIn, StartedAttempt } from "./oauth-callback-client.ts";

/** Session storage key: where this tab has started its last sign-in. */
export const PLACE_KEY = "front-row-sign-in-place";

/** A callback's parameters in query or fragment: `code`, `error`, `error_code`, `error_description`. */
const resultParameter = /[?&#](code|error)/;

let captured: FinishSignIn | null = null;

/** Takes the callback from where `sessionMark` put it, or from the URL, before the router reads the URL. */
export async function captureOAuthCallback(): Promise<void> {
  const started = takeStarted();
  const kept = attempt(() => window.sessionStorage.getItem(CALLBACK_KEY));
  const returned = kept ?? window.location.href;
  if (!resultParameter.test(returned)) return;
  try {
    const { captureCallback } = await import("./oauth-callback-client.ts");
    const { address, finish } = captureCallback(returned, started) ?? {};
    attempt(() => window.sessionStorage.removeItem(CALLBACK_KEY));
    // An absolute URL: a path that begins with two slashes would name another host.
    if (!kept && address) window.history.replaceState(window.history.state, "", address);
    captured = finish ?? null;
  } catch (error) {
    console.error("The sign-in could not be finished:", error);
    if (started === null) return;
    attempt(() => window.sessionStorage.removeItem(CALLBACK_KEY));
    window.history.replaceState(window.history.state, "", window.location.pathname);
    captured = async ({ showToast }) => showToast(signInFailed(started.place));
  }
}

export function takeOAuthCallback(): FinishSignIn | null {
  const taken = captured;
  captured = null;
  return taken;
}

export function rememberAttempt(place: SignInPlace, attemptId: string | null | undefined): void {
  // Without the stored place a failure is reported on the list, which is acceptable (docs/product.md §6.3).
  attempt(() => window.sessionStorage.setItem(PLACE_KEY, attemptId ? `${place} ${attemptId}` : place));
}

function takeStarted(): StartedAttempt | null {
  const stored = attempt(() => window.sessionStorage.getItem(PLACE_KEY));
  if (stored === null) return null;
  attempt(() => window.sessionStorage.removeItem(PLACE_KEY));
  const [place, attemptId] = stored.split(" ");
  return { place: place === "auth-page" ? place : "header", attemptId };
}
