import { expect, test } from "vitest";
import { createApiRequest } from "../../browser/api-request-client.ts";
import { createSignedInRequest } from "../../browser/signed-in-request.ts";
import { createReviewApi } from "./review-api-client.ts";

const form = { showId: "s1", userId: "u1", interaction: "yes" as const, notes: " Loud.\n" };
const tallies = { no: 0, very_little: 0, yes: 1, latest_at: "2025-08-04T12:00:00.000Z", revision: 1 };
const review = {
  show_id: "s1",
  user_id: "00000000-0000-4000-8000-000000000001",
  audience_interaction: "yes",
  notes: "Loud.",
  created_at: "2025-08-04T12:00:00.000Z",
};
const own = { ...review, title: "Moth Hour", artist: null, listed: true, hidden: null };
const saved = () => Response.json({ review, reviews: tallies });
const retryAfter = (value: string) => ({ "Retry-After": value });
const refused = (status: number, code: string, message = "Sorry.", wait?: string) =>
  Response.json({ code, message }, { status, headers: wait === undefined ? {} : retryAfter(wait) });
const unauthenticated = () => refused(401, "authentication_required");
const portal = () =>
  new Response("<html>Log in to the network</html>", { headers: { "Content-Type": "text/html" } });

interface Network {
  responses?: (() => Response)[];
  token?: string | null;
  renewed?: string | null;
  /** The id of the signed-in user. */
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
  };
}

function requestBy(fetch: typeof globalThis.fetch) {
  return createApiRequest(fetch, () => "front-row-public");
}

/** An API client over a network that gives these responses in order, and the requests that it received. */
function apiOver({ responses = [], token = "t1", renewed = "t2", userId = form.userId }: Network) {
  const requests: Request[] = [];
  const request = requestBy(async (input, init) => {
    requests.push(new Request(new URL(String(input), "http://localhost"), init));
    const respond = responses.shift();
    if (!respond) throw new TypeError("Failed to fetch");
    return respond();
  });
  const session = signedIn(async () => token, { renewed, userId });
  const api = createReviewApi({ request, session, send: createSignedInRequest(request, session) });
  return { api, requests };
}

test("submit sends the signed-in user's review with trimmed notes, and returns it with new tallies", async () => {
  const { api, requests } = apiOver({ responses: [saved] });
  expect(await api.submit(form)).toEqual({ kind: "saved", saved: { review, reviews: tallies } });
  const [request] = requests;
  expect([request?.method, request?.url]).toEqual(["PUT", "http://localhost/api/reviews"]);
  expect(request?.headers.get("apikey")).toBe("front-row-public");
  expect(request?.headers.get("Authorization")).toBe("Bearer t1");
  expect(await request?.json()).toEqual({
    show_id: "s1",
    user_id: "u1",
    audience_interaction: "yes",
    notes: "Loud.",
  });
});

test("a review is not sent when another user has signed in meanwhile (docs/product.md §5.12)", async () => {
  const { api, requests } = apiOver({ responses: [saved], userId: "u2" });
  expect(await api.submit(form)).toEqual({ kind: "signed-out" });
  expect(requests).toEqual([]);
});

test.each([
  ["only white space", " \n\t ", null],
  ["invisible characters of pasted text", "Page\f one\0\u0007, \ud83c half", "Page one,  half"],
  ["line breaks and tabs", "one\ntwo\tthree", "one\ntwo\tthree"],
])("notes of %s are sent as the API accepts them", async (_, notes, sent) => {
  const { api, requests } = apiOver({ responses: [saved] });
  await api.submit({ ...form, notes });
  expect(await requests[0]?.json()).toMatchObject({ notes: sent });
});

test("a review is not sent without a session", async () => {
  const { api, requests } = apiOver({ token: null });
  expect(await api.submit(form)).toEqual({ kind: "signed-out" });
  expect(requests).toEqual([]);
});

test("a refused token is renewed once, and the review sent with the new one", async () => {
  const { api, requests } = apiOver({ responses: [unauthenticated, saved] });
  expect(await api.submit(form)).toEqual({ kind: "saved", saved: { review, reviews: tallies } });
  expect(requests.map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer t1", "Bearer t2"]);
});

test.each([
  ["no token is available", { responses: [unauthenticated], renewed: null }],
  ["the new token is refused too", { responses: [unauthenticated, unauthenticated] }],
])("the session is over when %s", async (_, network) => {
  expect(await apiOver(network).api.submit(form)).toEqual({ kind: "signed-out" });
});

test("notes that are too long once trimmed are not sent", async () => {
  const { api, requests } = apiOver({ responses: [saved] });
  expect(await api.submit({ ...form, notes: "x".repeat(1001) })).toEqual({ kind: "too-long" });
  expect(requests).toEqual([]);
  expect(await api.submit({ ...form, notes: ` ${"x".repeat(1000)} ` })).toMatchObject({ kind: "saved" });
});

test.each([
  [
    "a server that finds notes too long",
    () => refused(422, "any", "Notes cannot exceed 1000 characters"),
    "too-long",
  ],
  ["no network", undefined, "failed"],
  ["an error of the server", () => refused(503, "unavailable"), "failed"],
  ["too many reviews, without saying until when", () => refused(429, "rate_limited"), "failed"],
  [
    "a proxy's own limit",
    () => new Response("Slow down", { status: 429, headers: retryAfter("30") }),
    "failed",
  ],
  ["a server that is busy for a while", () => refused(503, "unavailable", "Later.", "30"), "failed"],
  ["another user's review", () => refused(403, "not_your_review"), "failed"],
  ["an error that is not the API's", () => new Response("Bad gateway", { status: 502 }), "failed"],
  ["a captive portal that requires a login", () => new Response("<h1>Login</h1>", { status: 401 }), "failed"],
  ["a captive portal's page", portal, "failed"],
  [
    "the saved review of another show",
    () => Response.json({ review: { ...review, show_id: "s2" }, reviews: tallies }),
    "failed",
  ],
  ["JSON of another server", () => Response.json({ thanks: true }), "failed"],
])("submit returns the outcome for %s", async (_, response, kind) => {
  expect(await apiOver({ responses: response ? [response] : [] }).api.submit(form)).toEqual({ kind });
});

test.each([
  ["That was a lot of reviews.", "41", { kind: "limited", by: "user", end: "in 1 minute" }],
  ["That was a lot of reviews.", "5400", { kind: "limited", by: "user", end: "in 2 hours" }],
  [
    "Too many requests came from your network.",
    "1000",
    { kind: "limited", by: "network", end: "in 17 minutes" },
  ],
  ["That was a lot of reviews.", "soon", { kind: "failed" }],
  ["That was a lot of reviews.", "0", { kind: "failed" }],
])("a limit (%j) that ends after %j has the outcome %j", async (message, wait, outcome) => {
  const { api } = apiOver({ responses: [() => refused(429, "rate_limited", message, wait)] });
  expect(await api.submit(form)).toEqual(outcome);
});

test("the later of two reviews of a show waits for the response to the earlier one", async () => {
  const first = Promise.withResolvers<Response>();
  const sent: unknown[] = [];
  const request = requestBy(async (_, init) => {
    sent.push(JSON.parse(String(init?.body)).audience_interaction);
    return sent.length === 1 ? first.promise : saved();
  });
  const session = signedIn(async () => "t1");
  const api = createReviewApi({ request, session, send: createSignedInRequest(request, session) });
  const outcomes = [api.submit(form), api.submit({ ...form, interaction: "no" })];
  await expect.poll(() => sent).toEqual(["yes"]);
  first.resolve(refused(503, "unavailable"));
  expect(await Promise.all(outcomes)).toMatchObject([{ kind: "failed" }, { kind: "saved" }]);
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
  const api = createReviewApi({ request, session, send: createSignedInRequest(request, session, 10) });
  expect(await api.submit(form)).toEqual({ kind: "failed" });
  token.resolve("t1");
  await expect.poll(() => aborted).toEqual([true]);
});

test("the user's own reviews are loaded only with a session", async () => {
  const { api, requests } = apiOver({
    responses: [() => Response.json({ reviews: [own], total: 1, next_page: null })],
  });
  expect(await api.loadOwnReviews(new AbortController().signal)).toEqual(new Map([["s1", own]]));
  expect(requests[0]?.headers.get("Authorization")).toBe("Bearer t1");
  const signedOut = apiOver({ token: null });
  expect((await signedOut.api.loadOwnReviews(new AbortController().signal)).size).toBe(0);
  expect(signedOut.requests).toEqual([]);
});

test.each([1, 2, 5])("own reviews on %i pages are loaded page by page", async (pages) => {
  const reviewOf = (page: number) => ({ ...own, show_id: `s${page}` });
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  const responses = numbers.map((page) => () => {
    return Response.json({
      reviews: [reviewOf(page)],
      total: pages,
      next_page: page < pages ? page + 1 : null,
    });
  });
  const { api, requests } = apiOver({ responses });
  const loaded = await api.loadOwnReviews(new AbortController().signal);
  expect([...loaded.values()]).toEqual(numbers.map(reviewOf));
  const queries = numbers.map((page) => (page === 1 ? "" : `?page=${page}`));
  expect(requests.map(({ url }) => url)).toEqual(
    queries.map((query) => `http://localhost/api/reviews/mine${query}`),
  );
});

test("own reviews are not loaded by half: a later page that fails rejects", async () => {
  const first = () => Response.json({ reviews: [own], total: 2, next_page: 2 });
  const { api } = apiOver({ responses: [first, () => refused(503, "unavailable")] });
  await expect(api.loadOwnReviews(new AbortController().signal)).rejects.toThrow();
});

test("own reviews are empty after the session ended; other errors reject", async () => {
  const { signal } = new AbortController();
  const ended = apiOver({ responses: [() => refused(401, "authentication_required")], renewed: null });
  expect((await ended.api.loadOwnReviews(signal)).size).toBe(0);
  const renewed = apiOver({ responses: [() => refused(401, "authentication_required")] });
  await expect(renewed.api.loadOwnReviews(signal)).rejects.toThrow();
  const unavailable = apiOver({ responses: [() => refused(503, "unavailable")] });
  await expect(unavailable.api.loadOwnReviews(signal)).rejects.toThrow();
});

test("a programming error is thrown, and not taken for a failed submission (docs/product.md §8.12)", async () => {
  const mistake = new TypeError("Promise.sometimes is not a function");
  const lost = new TypeError("Failed to fetch");
  const submit = (fetch: typeof globalThis.fetch, accessToken: () => Promise<string>) => {
    const request = createApiRequest(fetch, () => "key");
    const session = signedIn(accessToken);
    return createReviewApi({ request, session, send: createSignedInRequest(request, session) }).submit(form);
  };
  await expect(
    submit(
      async () => saved(),
      () => Promise.reject(mistake),
    ),
  ).rejects.toBe(mistake);
  expect(
    await submit(
      () => Promise.reject(lost),
      async () => "t1",
    ),
  ).toEqual({ kind: "failed" });
});
