export interface RedirectRules {
  /** Scheme, host and port of the site. */
  origin: string;
  /** Origins of which any URL is allowed: the site's own, and its aliases. */
  redirectOrigins: readonly string[];
  /** Other URLs that are allowed, compared exactly. */
  redirectUrls: readonly string[];
}

/**
 * Returns the requested redirect URL if its origin is allowed or if it equals a configured URL; else the
 * site's home page (docs/product.md §6.8). Prefixes are never compared, because they match other hosts.
 */
export function allowedRedirect(
  requested: string | null,
  { origin, redirectOrigins, redirectUrls }: RedirectRules,
): string {
  const homeUrl = `${origin}/`;
  if (requested === null || requested.length > MAX_LENGTH) return homeUrl;
  if (redirectUrls.includes(requested)) return requested;
  if (!isUnambiguous(requested) || !URL.canParse(requested)) return homeUrl;
  const url = new URL(requested);
  if (!redirectOrigins.includes(url.origin) || url.username !== "" || url.password !== "") return homeUrl;
  // The text must begin with the origin too: the parser rewrites hosts, such as 2130706433 to 127.0.0.1.
  if (!requested.toLowerCase().startsWith(url.origin) || url.href.length > MAX_LENGTH) return homeUrl;
  return url.href;
}

/** The longest redirect URL, in UTF-16 code units. It is a part of the state, which providers must accept. */
const MAX_LENGTH = 600;

/**
 * Whether a URL has nothing that parsers disagree about: backslashes, white space, control characters or
 * user info.
 */
function isUnambiguous(url: string): boolean {
  return /^https?:\/\/[^\\\s\p{Cc}]+$/iu.test(url) && !/^https?:\/\/[^/?#]*@/i.test(url);
}

/** Returns the redirect URL after a successful sign-in, with the code added to its query. */
export function withCode(redirectTo: string, code: string): string {
  return withParameters(redirectTo, { code }).href;
}

/** The parameters of a failed sign-in, for the page that it redirects to. */
export interface ReturnedError {
  /** OAuth's error code (RFC 6749, 4.1.2.1). */
  error: string;
  /** A more specific, stable code. */
  error_code: string;
  /** A message for the visitor, if there is one. */
  error_description?: string;
}

/** Returns the redirect URL after a failed sign-in, with the error in its query and in its fragment. */
export function withError(redirectTo: string, error: ReturnedError): string {
  const url = withParameters(redirectTo, { ...error });
  url.hash = new URLSearchParams({ ...error }).toString();
  return url.href;
}

/**
 * Returns the redirect URL of a sign-in whose code has been exchanged: without auth-js's id of the sign-in.
 */
export function withoutFlowId(redirectTo: string): string {
  const url = new URL(redirectTo);
  if (url.searchParams.has("sb_flow_id")) url.searchParams.delete("sb_flow_id");
  return url.href;
}

/** Parameters that a sign-in may add, which are removed if an earlier one left them. */
const signInParameters = new Set(["code", "error", "error_code", "error_description"]);

/** Adds parameters without re-encoding the existing query. */
function withParameters(redirectTo: string, parameters: Record<string, string>): URL {
  const url = new URL(redirectTo);
  const otherPairs = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !signInParameters.has(pair.split("=")[0] ?? ""));
  url.search = [...otherPairs, new URLSearchParams(parameters).toString()].join("&");
  url.hash = "";
  return url;
}
