import type { IncomingMessage } from "node:http";
import { keepOAuthCallback } from "../auth/ui/sign-in/oauth-callback.ts";
import type { RequestCost } from "../http/admission/admit-requests.server.ts";
import { RefusalError } from "../http/admission/refusal.server.ts";
import { isForeignSubresource } from "../http/security/fetch-metadata.server.ts";
import { plainPage } from "../ui/plain-page.server.ts";

// Load is shed before routing, by the URL as spelled. Unusual spellings get the stricter limit.

/** The operator needs these most under overload. */
const forOperator = /^\/(healthz|readyz|metrics)(\?|$)/;

const staticFile = /^\/assets\/[\w.-]+(\?|$)/;

const fromMemory =
  /^\/(api\/shows|api\/(shows\/[^/?]+\/)?preview\.png|api\/shows\/[^/?]+\/badge\.svg|api\/(openapi|tallies|offline\/shows)\.json|auth|terms|privacy|(\.well-known\/)?[\w-]+\.(js|txt|xml|svg|ico|png|webmanifest))?(\?|$)/;

/** The page of a show waits for its notes, unless they are in memory. Letters may be percent-encoded. */
const showPage = /^\/\?(.*&)?(s|%73)(h|%68)(o|%6f)(w|%77)=/i;

export function costOf(url: string): RequestCost {
  if (forOperator.test(url)) return "probe";
  if (staticFile.test(url)) return "file";
  return fromMemory.test(url) && !showPage.test(url) ? "memory" : "database";
}

const reasons = {
  429: "Too many requests came from your network.",
  503: "Front Row is very busy.",
};

export function createBusyPage(status: 429 | 503, retryAfter: number, reason = reasons[status]) {
  const title = "Please try again in a moment";
  const message = `${reason} ${title}.`;
  // An OAuth callback may end here: its code waits in the tab until `Try again` succeeds.
  const { html, headers } = plainPage({
    title,
    body: bodyOf(message, "", "Try again"),
    script: keepOAuthCallback,
  });
  return new RefusalError(status, {
    message,
    html,
    headers: { ...headers, "Retry-After": String(retryAfter) },
  });
}

const LONG = "This address is too long";

export const longAddressPage = new RefusalError(414, {
  message: `${LONG}.`,
  ...plainPage({ title: LONG, body: bodyOf(`${LONG}.`, "/", "Return to Home") }),
});

const FOREIGN = "Requests of other sites are refused";

const foreignPage = new RefusalError(403, {
  message: `${FOREIGN}.`,
  ...plainPage({ title: FOREIGN, body: bodyOf(`${FOREIGN}.`, "/", "Return to Home") }),
});

/** Pages of any site may read it (docs/product.md §9.14), also a refusal. */
export const openData = ["/api/openapi.json", "/api/tallies.json", "/api/offline/shows.json"];

export const isOpenData = (url: string) => openData.includes(url.split("?", 1)[0] ?? "");

const pictures = /^\/api\/((shows\/[^/?]+\/)?preview\.png|shows\/[^/?]+\/badge\.svg)(\?|$)/;

/** A link of another site may begin a sign-in attempt, but no page may by itself (docs/product.md §8.14). */
export function refusalOfForeign({
  url = "",
  headers,
}: Pick<IncomingMessage, "url" | "headers">): RefusalError | null {
  const isForeign = /^\/api\/reports(\?|$)/.test(url)
    ? headers["sec-fetch-site"] === "cross-site"
    : /^\/auth\/v1\/authorize(\?|$)/.test(url) && (headers["sec-fetch-dest"] ?? "document") !== "document";
  const isForAll = isOpenData(url) || pictures.test(url);
  return isForeign || (isForeignSubresource(headers) && !isForAll) ? foreignPage : null;
}

function bodyOf(message: string, href: string, link: string): string {
  return `<p>${message}</p>\n<p><a class="button" href="${href}">${link}</a></p>`;
}

/** In seconds. */
const RETRY_AFTER = 5;

export const busyPage = createBusyPage(503, RETRY_AFTER);

/** For a database outage (docs/product.md §4.8). */
export const notesUnavailable = createBusyPage(503, RETRY_AFTER, "The notes can't be read right now.");

/** auth-js ends the session at a 429 (docs/product.md §6.12). */
const tokenPath = /^\/auth\/v1\/token(\?|$)/;

export function refusalOf({ url = "" }: IncomingMessage, wait: number): RefusalError {
  return createBusyPage(tokenPath.test(url) ? 503 : 429, wait);
}
