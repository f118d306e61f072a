export type SignInOutcome =
  | { kind: "code"; code: string }
  | { kind: "error"; errorCode: string | null; message: string | null };

/** From a URL, which anyone may have written. */
export interface ParsedCallback {
  outcome: SignInOutcome;
  /** Names the verifier. Undefined if the server failed before it knew the attempt. */
  attemptId: string | undefined;
  address: string;
}

const parameterNames = ["code", "error", "error_code", "error_description"];

/** auth-js's parameter for the id of an attempt. */
const ATTEMPT_ID = "sb_flow_id";

/** In characters. Anyone can write a URL with a message of any length. */
const MAX_MESSAGE = 300;

/** Null if neither query nor fragment has a parameter of a callback. */
export function parseCallback(address: string): ParsedCallback | null {
  const url = new URL(address);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const inQuery = parameterNames.some((name) => url.searchParams.has(name));
  const inFragment = parameterNames.some((name) => fragment.has(name));
  if (!inQuery && !inFragment) return null;
  const parameter = (name: string) => url.searchParams.get(name) ?? fragment.get(name);
  const outcome = outcomeOf(parameter);
  const attemptId = parameter(ATTEMPT_ID) ?? undefined;
  for (const name of [...parameterNames, ATTEMPT_ID]) url.searchParams.delete(name);
  if (inFragment) url.hash = "";
  return { outcome, attemptId, address: url.href };
}

/** Whether code and id have the form in which the server and auth-js write them. */
export function isWellFormedCallback(code: string, attemptId: string): boolean {
  return /^[\w-]{8,128}$/.test(code) && /^[\w-]{8,64}$/.test(attemptId);
}

function outcomeOf(parameter: (name: string) => string | null): SignInOutcome {
  const code = parameter("code");
  const failed = parameterNames.some((name) => name !== "code" && parameter(name) !== null);
  if (code && !failed) return { kind: "code", code };
  const message = plainText(parameter("error_description") ?? "") || null;
  return { kind: "error", errorCode: parameter("error_code"), message };
}

function plainText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, " ").trim();
  return [...line].slice(0, MAX_MESSAGE).join("");
}
