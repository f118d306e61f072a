interface RedirectRules {
  /** Scheme, host and port of the site. */
  origin: string;
  /** Where any address will do: the origin, and others by which the site is reached. */
  redirectOrigins: readonly string[];
  /** Addresses elsewhere. */
  redirectUrls: readonly string[];
}

/**
 * Where a sign-in may lead back to: the asked address when its scheme, host and port are the site's own, or when it is one of
 * the configured addresses exactly; else the site itself. Never by prefix.
 */
export function allowedRedirect(
  asked: string | null,
  { origin, redirectOrigins, redirectUrls }: RedirectRules,
): string {
  const home = `${origin}/`;
  if (asked === null || asked.length > LONGEST) return home;
  if (redirectUrls.includes(asked)) return asked;
  if (!isPlain(asked) || !URL.canParse(asked)) return home;
  const url = new URL(asked);
  if (!redirectOrigins.includes(url.origin) || url.username !== "" || url.password !== "") return home;
  // As it was written, not only as it is understood: no host by a number that means another's.
  if (!asked.toLowerCase().startsWith(url.origin) || url.href.length > LONGEST) return home;
  return url.href;
}

const LONGEST = 2_000;

/** Without what browsers and servers have read differently: backslashes, white space, control characters; and without user info. */
function isPlain(url: string): boolean {
  return /^https?:\/\/[^\\\s\p{Cc}]+$/iu.test(url) && !/^https?:\/\/[^/?#]*@/i.test(url);
}

/** The address that a successful sign-in leads to; its own query stays. */
export function withCode(redirectTo: string, code: string): string {
  return withParameters(redirectTo, { code }).href;
}

/** What went wrong, for the page that the sign-in leads back to. */
export interface ReturnedError {
  /** OAuth's own word (RFC 6749, 4.1.2.1). */
  error: string;
  /** A stable, more telling one. */
  error_code: string;
  /** For people. */
  error_description: string;
}

/** The address that a failed sign-in leads to: the error stands in its query and in its fragment. */
export function withError(redirectTo: string, error: ReturnedError): string {
  const url = withParameters(redirectTo, { ...error });
  url.hash = new URLSearchParams({ ...error }).toString();
  return url.href;
}

/** What a return may put into an address, and what an earlier one may have left there. */
const ours = new Set(["code", "error", "error_code", "error_description"]);

/** The address with its query as it was written, and these parameters besides. */
function withParameters(redirectTo: string, parameters: Record<string, string>): URL {
  const url = new URL(redirectTo);
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !ours.has(pair.split("=")[0] ?? ""));
  url.search = [...kept, new URLSearchParams(parameters).toString()].join("&");
  url.hash = "";
  return url;
}
