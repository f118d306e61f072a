/** The result of a sign-in, as the URL says that the browser was redirected to. */
export type SignInOutcome =
  /** The id of the sign-in names its verifier; a page of an older version sent none. */
  | { kind: "code"; code: string; flowId: string | undefined }
  /** The message of the provider or the server, if there is one. */
  | { kind: "error"; message: string | null; expired?: boolean };

const parameterNames = ["code", "error", "error_code", "error_description"];

/** auth-js's parameter for the id of a sign-in, which names the verifier of the code. */
const FLOW_ID = "sb_flow_id";

/** In characters. Anyone can write a URL with a message of any length. */
const MAX_MESSAGE = 300;

/**
 * Parses a sign-in's result from the query or fragment of a URL, and returns it with the URL without these
 * parameters. Null if the URL has none of them.
 */
export function parseSignInReturn(address: string): { outcome: SignInOutcome; address: string } | null {
  const url = new URL(address);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const inQuery = parameterNames.some((name) => url.searchParams.has(name));
  const inFragment = parameterNames.some((name) => fragment.has(name));
  if (!inQuery && !inFragment) return null;
  const outcome = outcomeOf((name) => url.searchParams.get(name) ?? fragment.get(name));
  if (inQuery) for (const name of [...parameterNames, FLOW_ID]) url.searchParams.delete(name);
  if (inFragment) url.hash = "";
  return { outcome, address: url.href };
}

function outcomeOf(parameter: (name: string) => string | null): SignInOutcome {
  const code = parameter("code");
  const failed = parameterNames.some((name) => name !== "code" && parameter(name) !== null);
  if (code && !failed) return { kind: "code", code, flowId: parameter(FLOW_ID) ?? undefined };
  const message = plainText(parameter("error_description") ?? "") || null;
  return { kind: "error", message, ...(isExpiry(parameter("error_code")) && { expired: true }) };
}

/** Whether an error code says that the sign-in took too long. */
export function isExpiry(errorCode: unknown): boolean {
  return errorCode === "bad_oauth_state" || errorCode === "flow_state_expired";
}

/** Replaces control characters, bidirectional controls and line breaks by spaces, and limits the length. */
function plainText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, " ").trim();
  return [...line].slice(0, MAX_MESSAGE).join("");
}
