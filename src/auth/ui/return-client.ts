import type { SignInPlace } from "./auth-texts.ts";
import { parseSignInReturn, type SignInOutcome } from "./return-url.ts";

/** The result of a sign-in, and where it was started. */
export interface CapturedReturn {
  outcome: SignInOutcome;
  place: SignInPlace;
}

/** The session storage key of the place where this tab started its last sign-in. */
const PLACE_KEY = "front-row-sign-in-place";

let captured: CapturedReturn | null = null;

/**
 * Captures a sign-in's result from the URL and removes it there. Must run before the router reads the URL.
 */
export function captureSignInReturn(): void {
  const parsed = parseSignInReturn(window.location.href);
  if (!parsed) return;
  const startedOn = takePlace();
  const onAuthPage = window.location.pathname === "/auth" || startedOn === "auth-page";
  captured = { outcome: parsed.outcome, place: onAuthPage ? "auth-page" : "header" };
  // The absolute URL: a path that begins with two slashes would name another host.
  window.history.replaceState(window.history.state, "", parsed.address);
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
