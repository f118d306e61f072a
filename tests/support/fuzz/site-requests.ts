import type { Reviewer } from "../../../dev/harness/reviewers.ts";
import { reviewHeaders } from "../../../dev/harness/reviewers.ts";
import { type Draft, draft } from "./request.ts";

/** What the server wants from whoever reads its metrics. */
export const METRICS_TOKEN = "metrics-token";

/** What good requests name. */
export interface Known {
  reviewer: Reviewer;
  showIds: readonly string[];
  /** The path of a built file. */
  file: string;
  /** The version of the page's routes, as React Router asks for them. */
  routesVersion: string;
  /** The ETag of the first page. */
  etag: string;
}

const browser = {
  Accept: "text/html",
  "Accept-Encoding": "gzip, deflate, br",
  "Accept-Language": "en-GB",
  Cookie: "a=b",
};
const client = { apikey: "front-row-public", "Accept-Encoding": "br" };

/** A good request of each kind that the site answers, but for those of the auth protocol. */
export function siteRequests({ reviewer, showIds, file, routesVersion, etag }: Known): Draft[] {
  const [one = "", other = ""] = showIds;
  const signedIn = reviewHeaders(reviewer);
  const review = (show_id: string, audience_interaction: string, notes: string | null) =>
    draft("PUT", "/api/reviews", signedIn, { show_id, user_id: reviewer.id, audience_interaction, notes });
  return [
    draft("GET", "/", browser),
    draft("GET", "/", { ...browser, "If-None-Match": etag }),
    draft("GET", "/?search=show+1&interaction=no&interaction=yes&page=2", browser),
    draft("GET", "/auth?error=access_denied&error_description=No", browser),
    draft("GET", "/no/such/page?x=y", browser),
    draft("GET", "/auth.data?_routes=root", browser),
    draft("GET", `/__manifest?paths=%2Fauth%2C%2F&version=${routesVersion}`, browser),
    draft("GET", "/api/shows?search=show&interaction=very_little&page=1", client),
    draft("GET", "/api/shows?reviews=none&page=2", { ...client, "If-None-Match": etag }),
    draft("GET", `/api/reviews?show_id=${one}&show_id=${other}`, client),
    draft("GET", "/api/reviews/mine", signedIn),
    ...showIds.map((id) => review(id, "yes", "Somebody was picked on,\nbut kindly.")),
    review(one, "no", null),
    draft("GET", "/api/openapi.json"),
    draft("GET", "/healthz"),
    draft("GET", "/readyz"),
    draft("GET", "/metrics", { Authorization: `Bearer ${METRICS_TOKEN}` }),
    draft("GET", file, { ...browser, Range: "bytes=0-99" }),
    draft("GET", "/favicon.svg", browser),
  ];
}
