import { keepOAuthCallback } from "../auth/ui/sign-in/oauth-callback.ts";
import { RefusalError } from "../http/requests/errors.server.ts";
import { plainPage } from "../ui/plain-page.server.ts";

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
  return new RefusalError(status, { message, html, headers, retryAfter });
}

const LONG = "This address is too long";

export const longAddressPage = new RefusalError(414, {
  message: `${LONG}.`,
  ...plainPage({ title: LONG, body: bodyOf(`${LONG}.`, "/", "Return to Home") }),
});

const FOREIGN = "Requests of other sites are refused";

export const foreignPage = new RefusalError(403, {
  message: `${FOREIGN}.`,
  ...plainPage({ title: FOREIGN, body: bodyOf(`${FOREIGN}.`, "/", "Return to Home") }),
});

function bodyOf(message: string, href: string, link: string): string {
  return `<p>${message}</p>\n<p><a class="button" href="${href}">${link}</a></p>`;
}

/** In seconds. */
const RETRY_AFTER = 5;

export const busyPage = createBusyPage(503, RETRY_AFTER);

/** For a database outage (docs/product.md §4.8). */
export const notesUnavailable = createBusyPage(503, RETRY_AFTER, "The notes can't be read right now.");
