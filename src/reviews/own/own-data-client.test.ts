import { expect, test } from "vitest";
import { createApiRequest } from "../../browser/requests/api-request-client.ts";
import { createSignedInRequest, SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { loadOwnReviews } from "./own-data-client.ts";

const own = {
  show_id: "s1",
  user_id: "u1",
  audience_interaction: "yes",
  notes: "Loud.",
  created_at: "2025-08-04T12:00:00.000Z",
  title: "Moth Hour",
  artist: null,
  listed: true,
  hidden: null,
};
const refused = (status: number, code: string) => Response.json({ code, message: "Sorry." }, { status });

/** Loads over a network that gives these responses in order, and returns the requests that it received. */
function siteOver(responses: (() => Response)[], token: string | null = "t1", renewed: string | null = "t2") {
  const requests: Request[] = [];
  const request = createApiRequest(
    async (input, init) => {
      requests.push(new Request(new URL(String(input), "http://localhost"), init));
      const respond = responses.shift();
      if (!respond) throw new TypeError("Failed to fetch");
      return respond();
    },
    () => "front-row-public",
  );
  const send = createSignedInRequest(request, {
    current: () => ({ status: "signed-in", user: { id: "u1" } }),
    accessToken: async () => token,
    renewToken: async () => renewed,
    endToast: () => null,
  });
  return { load: () => loadOwnReviews(send, "u1", new AbortController().signal), requests };
}

test("the user's own reviews are loaded only with a session", async () => {
  const { load, requests } = siteOver([() => Response.json({ reviews: [own], total: 1, next_page: null })]);
  expect(await load()).toEqual(new Map([["s1", own]]));
  expect(requests[0]?.headers.get("Authorization")).toBe("Bearer t1");
  const signedOut = siteOver([], null);
  await expect(signedOut.load()).rejects.toThrow(SignedOutError);
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
  const { load, requests } = siteOver(responses);
  const loaded = await load();
  expect([...loaded.values()]).toEqual(numbers.map(reviewOf));
  const queries = numbers.map((page) => (page === 1 ? "" : `?page=${page}`));
  expect(requests.map(({ url }) => url)).toEqual(
    queries.map((query) => `http://localhost/api/reviews/mine${query}`),
  );
});

test("own reviews are not loaded by half: a later page that fails rejects", async () => {
  const first = () => Response.json({ reviews: [own], total: 2, next_page: 2 });
  await expect(siteOver([first, () => refused(503, "unavailable")]).load()).rejects.toThrow();
});

test("own reviews are not loaded after the session ended; a renewed token loads them", async () => {
  const expired = () => refused(401, "authentication_required");
  await expect(siteOver([expired], "t1", null).load()).rejects.toThrow(SignedOutError);
  const page = () => Response.json({ reviews: [own], total: 1, next_page: null });
  expect((await siteOver([expired, page]).load()).size).toBe(1);
});
