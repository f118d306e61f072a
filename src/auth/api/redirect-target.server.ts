export interface RedirectRules {
  origin: string;
  /** Their pages that take a code are allowed. */
  redirectOrigins: readonly string[];
  /** Compared exactly. */
  redirectUrls: readonly string[];
}

/** Our pages that take a code out of the address. On any other page it would stay there. */
const codePages = ["/", "/auth"];

/** Any other URL becomes the home page (docs/product.md §6.8). Prefixes would match other hosts. */
export function allowedRedirect(
  requested: string | null,
  { origin, redirectOrigins, redirectUrls }: RedirectRules,
): string {
  const homeUrl = `${origin}/`;
  if (requested === null || requested.length > MAX_LENGTH) return homeUrl;
  const url = URL.parse(requested);
  if (!url || !redirectOrigins.includes(url.origin))
    return redirectUrls.includes(requested) ? requested : homeUrl;
  if (!isUnambiguous(requested) || url.username !== "" || url.password !== "") return homeUrl;
  if (!codePages.includes(url.pathname)) return homeUrl;
  // The text must begin with the origin too: the parser rewrites hosts, such as 2130706433 to 127.0.0.1.
  if (!requested.toLowerCase().startsWith(url.origin) || url.href.length > MAX_LENGTH) return homeUrl;
  return url.href;
}

/** In UTF-16 code units: the URL is a part of the state, whose length providers limit. */
const MAX_LENGTH = 600;

/** Parsers disagree about backslashes, white space, control characters and user info. */
function isUnambiguous(url: string): boolean {
  return /^https?:\/\/[^\\\s\p{Cc}]+$/iu.test(url) && !/^https?:\/\/[^/?#]*@/i.test(url);
}

export function withCode(redirectTo: string, code: string): string {
  return withParameters(redirectTo, { code }).href;
}

export interface ReturnedError {
  /** OAuth's error code (RFC 6749, 4.1.2.1). */
  error: string;
  error_code: string;
  error_description?: string;
}

/** In bytes. Servers refuse a longer query (docs/product.md §8.13). */
const MAX_QUERY = 2_048;

/** Query and fragment get the error, as in the protocol. A long description is in the fragment alone. */
export function withError(redirectTo: string, error: ReturnedError): string {
  const { error_description: _, ...short } = error;
  const whole = withParameters(redirectTo, { ...error });
  const url = whole.search.length > MAX_QUERY ? withParameters(redirectTo, short) : whole;
  url.hash = new URLSearchParams({ ...error }).toString();
  return url.href;
}

/** Removes auth-js's id of an attempt whose code has been exchanged. */
export function withoutAttemptId(redirectTo: string): string {
  const url = new URL(redirectTo);
  if (url.searchParams.has("sb_flow_id")) url.searchParams.delete("sb_flow_id");
  return url.href;
}

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
