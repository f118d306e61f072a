import { attempt } from "../../../browser/attempt.ts";
import { type SignInPlace, signInFailed } from "../auth-texts.ts";
import { RETURN_KEY } from "../session/session-store.ts";
import type { FinishReturn, StartedSignIn } from "./captured-return-client.ts";

/** The session storage key of how this tab started its last sign-in. */
export const PLACE_KEY = "front-row-sign-in-place";

/** A result in the query or fragment of the URL: `code`, `error`, `error_code`, `error_description`. */
const resultParameter = /[?&#](code|error)/;

let captured: FinishReturn | null = null;

/** Takes a sign-in's result from where `SessionMark` put it, or from the URL, before the router reads it. */
export async function captureSignInReturn(): Promise<void> {
  const started = takeStarted();
  const kept = attempt(() => window.sessionStorage.getItem(RETURN_KEY));
  const returned = kept ?? window.location.href;
  if (!resultParameter.test(returned)) return;
  try {
    const { captureReturn } = await import("./captured-return-client.ts");
    const { address, finish } = captureReturn(returned, started) ?? {};
    attempt(() => window.sessionStorage.removeItem(RETURN_KEY));
    // The absolute URL: a path that begins with two slashes would name another host.
    if (!kept && address) window.history.replaceState(window.history.state, "", address);
    captured = finish ?? null;
  } catch (error) {
    console.error("The sign-in could not be finished:", error);
    if (started === null) return;
    attempt(() => window.sessionStorage.removeItem(RETURN_KEY));
    window.history.replaceState(window.history.state, "", window.location.pathname);
    captured = async ({ showToast }) => showToast(signInFailed(started.place));
  }
}

export function takeSignInReturn(): FinishReturn | null {
  const taken = captured;
  captured = null;
  return taken;
}

export function rememberSignIn(place: SignInPlace, flowId: string | null | undefined): void {
  // Without the stored place a failure is reported on the list, which is acceptable (docs/product.md §6.3).
  attempt(() => window.sessionStorage.setItem(PLACE_KEY, flowId ? `${place} ${flowId}` : place));
}

function takeStarted(): StartedSignIn | null {
  const stored = attempt(() => window.sessionStorage.getItem(PLACE_KEY));
  if (stored === null) return null;
  attempt(() => window.sessionStorage.removeItem(PLACE_KEY));
  const [place, flowId] = stored.split(" ");
  return { place: place === "auth-page" ? place : "header", flowId };
}
