import { expect } from "vitest";
import { type Reviewer, reviewHeaders } from "../../../dev/harness/reviewers.ts";
import { draftRequest, type RequestDraft } from "./request.ts";

export const METRICS_TOKEN = "metrics-token-of-this-site";

const language = { "Accept-Encoding": "gzip, deflate, br", "Accept-Language": "en-GB" };
const browser = { ...language, Accept: "text/html", Cookie: "a=b" };
const client = { apikey: "front-row-public", "Accept-Encoding": "br" };

export async function siteRequests(
  origin: string,
  reviewer: Reviewer,
  showIds: readonly string[],
): Promise<RequestDraft[]> {
  const page = await fetch(origin);
  const known = { "If-None-Match": page.headers.get("etag") ?? expect.fail() };
  const html = await page.text();
  const file = /"(\/assets\/site-[^"]+\.js)"/.exec(html)?.[1] ?? expect.fail();
  const [firstId = "", secondId = ""] = showIds;
  const signedIn = reviewHeaders(reviewer);
  const own = { user_id: reviewer.id };
  const review = (show_id: string, audience_interaction: string, notes: string | null) =>
    draftRequest("PUT", "/api/reviews", signedIn, { ...own, show_id, audience_interaction, notes });
  const gets: [address: string, headers?: Record<string, string>][] = [
    ["/", browser],
    ["/", { ...browser, ...known }],
    ["/?search=show+1&interaction=no&interaction=yes&announced=yes&yes=none&page=2", browser],
    [`/?show=${firstId}`, browser],
    [`/?show=${firstId}&notes=yes&page=2`, browser],
    [`/api/shows/${firstId}/badge.svg?x=1`, known],
    [`/api/shows/${firstId}/preview.png`, known],
    ["/api/preview.png?v=1"],
    ["/robots.txt", browser],
    ["/sitemap.xml", { "Accept-Encoding": "gzip" }],
    ["/auth?error=access_denied&error_description=No", browser],
    ["/terms", browser],
    ["/privacy?x=y", { ...browser, ...known }],
    ["/no/such/page?x=y", browser],
    ["/api/shows?search=show&interaction=very_little&announced=unknown&page=1", client],
    ["/api/shows?reviews=none&page=2", { ...client, ...known }],
    [`/api/reviews?show_id=${firstId}&show_id=${secondId}`, client],
    [`/api/reviews?show_id=${firstId}&answer=yes&page=1`, client],
    ["/api/reviews/mine", signedIn],
    ["/api/reviews/mine?page=2", signedIn],
    ["/api/openapi.json"],
    ["/healthz"],
    ["/readyz"],
    ["/metrics", { Authorization: `Bearer ${METRICS_TOKEN}` }],
    [file, { ...browser, Range: "bytes=0-99" }],
    ["/favicon.svg", browser],
  ];
  return [
    ...gets.map(([address, headers]) => draftRequest("GET", address, headers)),
    ...showIds.map((id) => review(id, "yes", "Somebody was picked on,\nbut kindly.")),
    review(firstId, "no", null),
    draftRequest("DELETE", `/api/reviews?show_id=${secondId}`, signedIn),
    draftRequest("POST", "/api/reviews/objections", signedIn, { show_id: firstId, text: "My own name." }),
  ];
}
