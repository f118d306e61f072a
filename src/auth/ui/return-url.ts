/** How a sign-in ended, as the address says that the browser came back to. */
export type SignInOutcome =
  | { kind: "code"; code: string }
  /** What the provider or the server said about it, if anything. */
  | { kind: "error"; message: string | null };

const parameters = ["code", "error", "error_code", "error_description"];

/** In characters; what comes with an address can be of any length and from anyone. */
const MAX_MESSAGE = 300;

/** What an address says about a sign-in, in its query or fragment, and the address without it; null if it says nothing. */
export function parseSignInReturn(address: string): { outcome: SignInOutcome; address: string } | null {
  const url = new URL(address);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const inQuery = parameters.some((name) => url.searchParams.has(name));
  const inFragment = parameters.some((name) => fragment.has(name));
  if (!inQuery && !inFragment) return null;
  const outcome = outcomeOf((name) => url.searchParams.get(name) ?? fragment.get(name));
  if (inQuery) for (const name of parameters) url.searchParams.delete(name);
  if (inFragment) url.hash = "";
  return { outcome, address: url.href };
}

function outcomeOf(parameter: (name: string) => string | null): SignInOutcome {
  const code = parameter("code");
  const failed = parameters.some((name) => name !== "code" && parameter(name) !== null);
  if (code && !failed) return { kind: "code", code };
  return { kind: "error", message: plainLine(parameter("error_description") ?? "") || null };
}

/** One line without what could hide or turn around its words. */
function plainLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, " ").trim();
  return [...line].slice(0, MAX_MESSAGE).join("");
}
