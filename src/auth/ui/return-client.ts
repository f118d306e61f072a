import type { SignInPlace } from "./auth-texts.ts";
import { parseSignInReturn, type SignInOutcome } from "./return-url.ts";

export interface SignInReturn {
  outcome: SignInOutcome;
  place: SignInPlace;
}

/** Which entry of this tab's session storage says that the last sign-in was started on `/auth`. */
const NOTE = "front-row-sign-in-place";

let waiting: SignInReturn | null = null;

/** Keeps what the address says about a sign-in and takes it out of there. For before the router reads the address. */
export function captureSignInReturn(): void {
  const found = parseSignInReturn(window.location.href);
  if (!found) return;
  const note = takeNote();
  const onAuthPage = window.location.pathname === "/auth" || note === "auth-page";
  waiting = { outcome: found.outcome, place: onAuthPage ? "auth-page" : "header" };
  // Whole: a path that begins with two slashes would name another host.
  window.history.replaceState(window.history.state, "", found.address);
}

/** What was caught, once; null if nothing was, or it has been taken. */
export function takeSignInReturn(): SignInReturn | null {
  const caught = waiting;
  waiting = null;
  return caught;
}

/** Remembers for this tab where a sign-in is being started. */
export function rememberSignInPlace(place: SignInPlace): void {
  try {
    window.sessionStorage.setItem(NOTE, place);
  } catch {
    // Without the note a failure is told on the list, which is not wrong.
  }
}

function takeNote(): string | null {
  try {
    const note = window.sessionStorage.getItem(NOTE);
    window.sessionStorage.removeItem(NOTE);
    return note;
  } catch {
    return null;
  }
}
