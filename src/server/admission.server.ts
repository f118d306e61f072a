import type { IncomingMessage } from "node:http";
import { BusyPageError } from "../http/admission/busy-page.server.ts";
import type { RequestCost } from "../http/admission/refuse-overload.server.ts";
import { plainPage } from "../ui/plain-page.server.ts";

/*
 * What the admission of requests has to know of the routes that `createApp` mounts. It comes before routing, so it
 * goes by the URL as it comes. Other spellings get the stricter limit.
 */

/** Health and metrics, which the operator needs most under overload. */
const forOperator = /^\/(healthz|readyz|metrics)(\?|$)/;

const staticFile = /^\/assets\/[\w.-]+(\?|$)/;

/** Pages, lists, pictures and files, which need neither database nor provider. */
const fromMemory =
  /^\/(api\/shows|api\/(shows\/[^/?]+\/)?preview\.png|api\/openapi\.json|auth|terms|privacy|[\w-]+\.(txt|xml|svg|ico|png))?(\?|$)/;

/** The page of a show waits for its notes, unless they are in memory. */
const showPage = /^\/\?(.*&)?show=/;

/** What the request to a URL costs. */
export function costOf(url: string): RequestCost {
  if (forOperator.test(url)) return "nothing";
  if (staticFile.test(url)) return "little";
  return fromMemory.test(url) && !showPage.test(url) ? "memory" : "database";
}

const reasons = {
  429: "Too many requests came from your network.",
  503: "Front Row is very busy.",
};

/**
 * The page for a client over its limits, and for overload.
 * @param retryAfter in seconds
 */
export function createBusyPage(status: 429 | 503, retryAfter: number): BusyPageError {
  const message = `${reasons[status]} Please try again in a moment.`;
  const page = plainPage({
    title: "Please try again in a moment",
    body: `<p>${message}</p>\n<p><a class="button" href="">Try again</a></p>`,
  });
  return new BusyPageError(status, retryAfter, { ...page, message });
}

/** `Retry-After` of a 503, in seconds. */
const RETRY_AFTER = 5;

/** The page for overload. */
export const busyPage = createBusyPage(503, RETRY_AFTER);

/** Refreshes sessions. auth-js takes 429 for the end of the session (docs/product.md §6.12). */
const tokenPath = /^\/auth\/v1\/token(\?|$)/;

/** What a client over the limit of all its requests gets. */
export function refusalOf({ url = "" }: IncomingMessage, wait: number): BusyPageError {
  return createBusyPage(tokenPath.test(url) ? 503 : 429, wait);
}
