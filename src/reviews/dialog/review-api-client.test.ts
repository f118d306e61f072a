import { expect, test } from "vitest";
import { createApiRequest } from "../../browser/requests/api-request-client.ts";
import { createSignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { createSubmitReview, type NewReview, type SubmitReview } from "./review-api-client.ts";
import { submissionFailed } from "./review-texts.ts";

const form = { showId: "s1", userId: "u1", interaction: "yes" as const, notes: " Loud.\n" };
const tallies = { no: 0, very_little: 0, yes: 1, latest_at: "2025-08-04T12:00:00.000Z", revision: 1 };
const review = {
  show_id: "s1",
  user_id: "00000000-0000-4000-8000-000000000001",
  audience_interaction: "yes",
  notes: "Loud.",
  created_at: "2025-08-04T12:00:00.000Z",
};
const savedAs = (review: object) => Response.json({ review, reviews: tallies });
const saved = () => savedAs(review);
const retryAfter = (value: string) => ({ "Retry-After": value });
const refused = (status: number, code: string, message = "Sorry.", wait?: string) =>
  Response.json({ code, message }, { status, headers: wait === undefined ? {} : retryAfter(wait) });
const unauthenticated = () => refused(401, "authentication_required");
const portal = () =>
  new Response("<html>Log in to the network</html>", { headers: { "Content-Type": "text/html" } });

const failed = "Failed to submit review. Please try again.";

interface Network {
  responses?: (() => Response)[];
  token?: string | null;
  renewed?: string | null;
  userId?: string;
}

function signedIn(
  accessToken: () => Promise<string | null>,
  { renewed = "t2", userId = form.userId }: Network = {},
) {
  return {
    current: () => ({ status: "signed-in", user: { id: userId } }),
    accessToken,
    renewToken: async () => renewed,
    endToast: () => null,
  };
}

const requestBy = (fetch: typeof globalThis.fetch) => createApiRequest(fetch, () => "front-row-public");
const outcomeOf =
  (submit: SubmitReview) =>
  (review: NewReview = form) =>
    submit(review).catch((error: unknown) => submissionFailed(error).description);

function siteOver({ responses = [], token = "t1", renewed = "t2", userId = form.userId }: Network) {
  const requests: Request[] = [];
  const request = requestBy(async (input, init) => {
    requests.push(new Request(new URL(String(input), "http://localhost"), init));
    const respond = responses.shift();
    if (!respond) throw new TypeError("Failed to fetch");
    return respond();
  });
  const session = signedIn(async () => token, { renewed, userId });
  const submit = outcomeOf(createSubmitReview(createSignedInRequest(request, session)));
  return { submit, requests };
}

test("submit sends the signed-in user's review with trimmed notes, and returns it with new tallies", async () => {
  const { submit, requests } = siteOver({ responses: [saved] });
  expect(await submit()).toEqual({ review, reviews: tallies });
  const [request] = requests;
  expect([request?.method, request?.url]).toEqual(["PUT", "http://localhost/api/reviews"]);
  expect(request?.headers.get("apikey")).toBe("front-row-public");
  expect(request?.headers.get("Authorization")).toBe("Bearer t1");
  const sent = { show_id: "s1", user_id: "u1", audience_interaction: "yes", notes: "Loud." };
  expect(await request?.json()).toEqual(sent);
});

test.each([
  ["without a session", { token: null }],
  ["when another user has signed in meanwhile (docs/product.md §5.12)", { userId: "u2" }],
])("a review is not sent %s", async (_, network) => {
  const { submit, requests } = siteOver({ responses: [saved], ...network });
  expect(await submit()).toBe("Please sign in to submit a review.");
  expect(requests).toEqual([]);
});

test.each([
  ["only white space", " \n\t ", null],
  ["invisible characters of pasted text", "Page\f one\0\u0007, \ud83c half", "Page one,  half"],
  ["line breaks and tabs", "one\ntwo\tthree", "one\ntwo\tthree"],
])("notes of %s are sent as the API accepts them", async (_, notes, sent) => {
  const { submit, requests } = siteOver({ responses: [saved] });
  await submit({ ...form, notes });
  expect(await requests[0]?.json()).toMatchObject({ notes: sent });
});

test("a refused token is renewed once, and the review sent with the new one", async () => {
  const { submit, requests } = siteOver({ responses: [unauthenticated, saved] });
  expect(await submit()).toEqual({ review, reviews: tallies });
  expect(requests.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer t1", "Bearer t2"]);
});

test.each([
  ["no token is available", { responses: [unauthenticated], renewed: null }],
  ["the new token is refused too", { responses: [unauthenticated, unauthenticated] }],
])("the session is over when %s", async (_, network) => {
  expect(await siteOver(network).submit()).toBe("Please sign in to submit a review.");
});

test("notes that are too long once trimmed are not sent; a server may find so, too", async () => {
  const { submit, requests } = siteOver({ responses: [saved] });
  const expected = "Please keep your notes under 1000 characters.";
  expect(await submit({ ...form, notes: "x".repeat(1001) })).toBe(expected);
  expect(requests).toEqual([]);
  expect(await submit({ ...form, notes: ` ${"x".repeat(1000)} ` })).toHaveProperty("review");
  const refusal = () => refused(422, "any", "Notes cannot exceed 1000 characters");
  expect(await siteOver({ responses: [refusal] }).submit()).toBe(expected);
});

test.each([
  ["no network", undefined],
  ["an error of the server", () => refused(503, "unavailable")],
  ["too many reviews, without saying until when", () => refused(429, "rate_limited")],
  ["a proxy's own limit", () => new Response("Slow down", { status: 429, headers: retryAfter("30") })],
  ["a server that is busy for a while", () => refused(503, "unavailable", "Later.", "30")],
  ["another user's review", () => refused(403, "not_your_review")],
  ["an error that is not the API's", () => new Response("Bad gateway", { status: 502 })],
  ["a captive portal that requires a login", () => new Response("<h1>Login</h1>", { status: 401 })],
  ["a captive portal's page", portal],
  ["the saved review of another show", () => savedAs({ ...review, show_id: "s2" })],
  ["JSON of another server", () => Response.json({ thanks: true })],
])("submit fails after %s", async (_, response) => {
  expect(await siteOver({ responses: response ? [response] : [] }).submit()).toBe(failed);
});

const ofNetwork = "Too many requests came from your network.";

test.each([
  ["That was a lot of reviews.", "41", "You have sent many reviews. You can send the next one in 1 minute."],
  ["That was a lot of reviews.", "5400", "You have sent many reviews. You can send the next one in 2 hours."],
  [ofNetwork, "1000", `${ofNetwork} You can send your review in 17 minutes.`],
  ["That was a lot of reviews.", "soon", failed],
  ["That was a lot of reviews.", "0", failed],
])("a limit (%j) that ends after %j is shown as %j", async (message, wait, told) => {
  const { submit } = siteOver({ responses: [() => refused(429, "rate_limited", message, wait)] });
  expect(await submit()).toBe(told);
});

test("the later of two reviews of a show waits for the response to the earlier one", async () => {
  const first = Promise.withResolvers<Response>();
  const sent: unknown[] = [];
  const request = requestBy(async (_, init) => {
    sent.push(JSON.parse(String(init?.body)).audience_interaction);
    return sent.length === 1 ? first.promise : saved();
  });
  const session = signedIn(async () => "t1");
  const submit = outcomeOf(createSubmitReview(createSignedInRequest(request, session)));
  const outcomes = [submit(form), submit({ ...form, interaction: "no" })];
  await expect.poll(() => sent).toEqual(["yes"]);
  first.resolve(refused(503, "unavailable"));
  expect(await Promise.all(outcomes)).toEqual([failed, { review, reviews: tallies }]);
  expect(sent).toEqual(["yes", "no"]);
});

test("a token that never comes is a failure, and a request after the timeout is aborted", async () => {
  const token = Promise.withResolvers<string>();
  const aborted: boolean[] = [];
  const request = requestBy(async (_, init) => {
    aborted.push(init?.signal?.aborted ?? false);
    return saved();
  });
  const session = signedIn(() => token.promise);
  const submit = outcomeOf(createSubmitReview(createSignedInRequest(request, session, 10)));
  expect(await submit()).toBe(failed);
  token.resolve("t1");
  await expect.poll(() => aborted).toEqual([true]);
});
