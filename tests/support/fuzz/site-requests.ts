import type { Reviewer } from "../../../dev/harness/reviewers.ts";
import { reviewHeaders } from "../../../dev/harness/reviewers.ts";
import { draftRequest, type RequestDraft } from "./request.ts";

/** The server's METRICS_TOKEN. */
export const METRICS_TOKEN = "metrics-token";

/** What valid requests refer to. */
export interface RequestTargets {
  reviewer: Reviewer;
  showIds: readonly string[];
  /** The path of a built asset. */
  file: string;
  /** The version of React Router's route manifest. */
  routesVersion: string;
  /** The ETag of `/`. */
  etag: string;
}

const browser = {
  Accept: "text/html",
  "Accept-Encoding": "gzip, deflate, br",
  "Accept-Language": "en-GB",
  Cookie: "a=b",
};
const client = { apikey: "front-row-public", "Accept-Encoding": "br" };

/** One valid request of each kind, except those of the auth protocol. */
export function siteRequests({
  reviewer,
  showIds,
  file,
  routesVersion,
  etag,
}: RequestTargets): RequestDraft[] {
  const [firstId = "", secondId = ""] = showIds;
  const signedIn = reviewHeaders(reviewer);
  const review = (show_id: string, audience_interaction: string, notes: string | null) =>
    draftRequest("PUT", "/api/reviews", signedIn, {
      show_id,
      user_id: reviewer.id,
      audience_interaction,
      notes,
    });
  return [
    draftRequest("GET", "/", browser),
    draftRequest("GET", "/", { ...browser, "If-None-Match": etag }),
    draftRequest(
      "GET",
      "/?search=show+1&interaction=no&interaction=yes&announced=yes&yes=none&page=2",
      browser,
    ),
    draftRequest("GET", `/?show=${firstId}`, browser),
    draftRequest("GET", `/?show=${firstId}&notes=yes&page=2`, browser),
    draftRequest("GET", `/api/shows/${firstId}/badge.svg?x=1`, { "If-None-Match": etag }),
    draftRequest("GET", `/api/shows/${firstId}/preview.png`, { "If-None-Match": etag }),
    draftRequest("GET", "/api/preview.png?v=1"),
    draftRequest("GET", "/robots.txt", browser),
    draftRequest("GET", "/sitemap.xml", { "Accept-Encoding": "gzip" }),
    draftRequest("GET", "/auth?error=access_denied&error_description=No", browser),
    draftRequest("GET", "/terms", browser),
    draftRequest("GET", "/privacy?x=y", { ...browser, "If-None-Match": etag }),
    draftRequest("GET", "/no/such/page?x=y", browser),
    draftRequest("GET", `/__manifest?paths=%2Fauth%2C%2F&version=${routesVersion}`, browser),
    draftRequest("GET", "/api/shows?search=show&interaction=very_little&announced=unknown&page=1", client),
    draftRequest("GET", "/api/shows?reviews=none&page=2", { ...client, "If-None-Match": etag }),
    draftRequest("GET", `/api/reviews?show_id=${firstId}&show_id=${secondId}`, client),
    draftRequest("GET", `/api/reviews?show_id=${firstId}&answer=yes&page=1`, client),
    draftRequest("GET", "/api/reviews/mine", signedIn),
    draftRequest("GET", "/api/reviews/mine?page=2", signedIn),
    ...showIds.map((id) => review(id, "yes", "Somebody was picked on,\nbut kindly.")),
    review(firstId, "no", null),
    draftRequest("DELETE", `/api/reviews?show_id=${secondId}`, signedIn),
    draftRequest("POST", "/api/reviews/objections", signedIn, {
      show_id: firstId,
      text: "It was my own name.",
    }),
    ...["/api/openapi.json", "/healthz", "/readyz"].map((path) => draftRequest("GET", path)),
    draftRequest("GET", "/metrics", { Authorization: `Bearer ${METRICS_TOKEN}` }),
    draftRequest("GET", file, { ...browser, Range: "bytes=0-99" }),
    draftRequest("GET", "/favicon.svg", browser),
  ];
}
