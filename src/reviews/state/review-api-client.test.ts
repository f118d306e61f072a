import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createApiRequest } from "../../browser/requests/api-request-client.ts";
import { createSignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { createSubmitReview, failureKindOf, type NewReview } from "./review-api-client.ts";
import { submissionFailed } from "./review-texts.ts";

const form: NewReview = { showId: "s1", userId: "u1", interaction: "yes", notes: " Loud.\n" };
const reviews = { no: 0, very_little: 0, yes: 1, latest_at: "2025-08-04T12:00:00.000Z", revision: 1 };
const review = {
  show_id: "s1",
  user_id: "00000000-0000-4000-8000-000000000001",
  audience_interaction: "yes",
  notes: "Loud.",
  created_at: "2025-08-04T12:00:00.000Z",
};
const saved = () => Response.json({ review, reviews });
const retryAfter = (value: string) => ({ "Retry-After": value });
const refused = (status: number, code: string, message = "Sorry.", wait?: string) =>
  Response.json({ code, message }, { status, headers: wait === undefined ? {} : retryAfter(wait) });
const unauthenticated = () => refused(401, "authentication_required");

const failed = "Failed to submit review. Please try again.";
const tooLong = "Please keep your notes under 1000 characters.";
const signInFirst = "Please sign in to submit a review.";

interface Network {
  /** In order. Then there is no network. */
  responses?: (Response | Promise<Response>)[];
  accessToken?: () => Promise<string | null>;
  renewed?: string | null;
  userId?: string;
  timeout?: number;
}

function siteOver({ responses = [], userId = form.userId, renewed = "t2", timeout, ...network }: Network) {
  const requests: Request[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    requests.push(new Request(new URL(String(input), "http://localhost"), init));
    return responses.shift() ?? Promise.reject(new TypeError("Failed to fetch"));
  };
  const session = {
    current: () => ({ status: "signed-in", user: { id: userId } }),
    accessToken: async () => "t1",
    renewToken: async () => renewed,
    endToast: () => null,
    ...network,
  };
  const request = createApiRequest(fetch, () => "front-row-public");
  const send = createSubmitReview(createSignedInRequest(request, session, timeout));
  return {
    requests,
    submit: (changes: Partial<NewReview> = {}) =>
      send({ ...form, ...changes }).catch((error: unknown) => [
        submissionFailed(error).description,
        failureKindOf(error),
      ]),
  };
}

test.each<[string, Network]>([
  ["without a session", { accessToken: async () => null }],
  ["when another user has signed in meanwhile (docs/product.md §5.12)", { userId: "u2" }],
])("a review is not sent %s", async (_, network) => {
  const { submit, requests } = siteOver({ responses: [saved()], ...network });
  expect(await submit()).toEqual([signInFirst, "signed-out"]);
  expect(requests).toEqual([]);
});

test("a review is sent with trimmed notes; a refused token is renewed once, then the session is over", async () => {
  const { submit, requests } = siteOver({ responses: [unauthenticated(), saved()] });
  expect(await submit()).toEqual({ review, reviews });
  const sent = { show_id: "s1", user_id: "u1", audience_interaction: "yes", notes: "Loud." };
  for (const [index, request] of requests.entries()) {
    expect([request.method, request.url]).toEqual(["PUT", "http://localhost/api/reviews"]);
    expect(request.headers.get("apikey")).toBe("front-row-public");
    expect(request.headers.get("Authorization")).toBe(`Bearer t${index + 1}`);
    expect(await request.json()).toEqual(sent);
  }
  const over = [signInFirst, "signed-out"];
  expect(await siteOver({ responses: [unauthenticated(), unauthenticated()] }).submit()).toEqual(over);
  expect(await siteOver({ responses: [unauthenticated()], renewed: null }).submit()).toEqual(over);
});

const otherReview = { ...review, show_id: "s2" };
const limited = (code: string, wait: string) => refused(429, code, "", wait);
const inTwoHours = "You have sent many reviews. You can send the next one in 2 hours.";
const ofNetwork = "Too many requests came from your network. You can send your review in 17 minutes.";

test.each([
  ["no network", undefined, failed, "unanswered"],
  ["an error of the server", refused(503, "unavailable"), failed, "unanswered"],
  ["a server that is busy for a while", refused(503, "unavailable", "Later.", "30"), failed, "unanswered"],
  ["a limit without its end", refused(429, "rate_limited"), failed, "limited"],
  ["a proxy's own limit", new Response("", { status: 429, headers: retryAfter("30") }), failed, "limited"],
  ["another user's review", refused(403, "not_your_review"), failed, "refused"],
  ["notes that are too long", refused(422, "any", "Notes cannot exceed 1000 characters"), tooLong, "refused"],
  ["an error that is not the API's", new Response("Bad gateway", { status: 502 }), failed, "unanswered"],
  ["a captive portal's login", new Response("<h1>Login</h1>", { status: 401 }), failed, "unanswered"],
  ["a captive portal's page", new Response("<html>Log in to the network</html>"), failed, "unanswered"],
  ["a saved review of another show", Response.json({ review: otherReview, reviews }), failed, "unanswered"],
  ["JSON of another server", Response.json({ thanks: true }), failed, "unanswered"],
  ["a limit of the user", limited("rate_limited", "5400"), inTwoHours, "limited"],
  ["a limit of the network", limited("network_rate_limited", "1000"), ofNetwork, "limited"],
])("after %s its author reads why, and the review may wait or not", async (_, response, text, kind) => {
  expect(await siteOver({ responses: response ? [response] : [] }).submit()).toEqual([text, kind]);
});

test("the later of two reviews of a show waits for the response to the earlier one", async () => {
  const first = Promise.withResolvers<Response>();
  const { submit, requests } = siteOver({ responses: [first.promise, saved()] });
  const outcomes = [submit(), submit({ interaction: "no" })];
  await setImmediate();
  expect(requests).toHaveLength(1);
  first.resolve(refused(503, "unavailable"));
  expect(await Promise.all(outcomes)).toEqual([[failed, "unanswered"], { review, reviews }]);
  expect(await requests[1]?.json()).toMatchObject({ audience_interaction: "no" });
});

test("a token that never comes is a failure, and a request after the timeout is aborted", async () => {
  const token = Promise.withResolvers<string>();
  const { submit, requests } = siteOver({ accessToken: () => token.promise, timeout: 10 });
  expect(await submit()).toEqual([failed, "unanswered"]);
  token.resolve("t1");
  await expect.poll(() => requests.map(({ signal }) => signal.aborted)).toEqual([true]);
});
