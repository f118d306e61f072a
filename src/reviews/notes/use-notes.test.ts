import { expect, test } from "vitest";
import { createApiRequest } from "../../browser/requests/api-request-client.ts";
import { loadNotes } from "./use-notes.ts";

function networkOf(response: () => Response) {
  const urls: string[] = [];
  const request = createApiRequest(
    async (input) => {
      urls.push(String(input));
      return response();
    },
    () => "front-row-public",
  );
  return { request, urls };
}

test("notes are loaded with one request for all shows", async () => {
  const note = (notes: string) => ({ id: "n1", notes, created_at: "2025-08-04T12:00:00.000Z" });
  const none = { count: 2, notes: [] };
  const reviews = {
    "a&b": {
      no: none,
      very_little: none,
      yes: { count: 3, notes: [note("Loud."), note("<b>")] },
      revision: 8,
    },
  };
  const { request, urls } = networkOf(() => Response.json({ reviews }));
  const found = await loadNotes(request, ["a&b", "c"], new AbortController().signal);
  expect(urls).toEqual(["/api/reviews?show_id=a%26b&show_id=c"]);
  expect(Object.fromEntries(found)).toEqual(reviews);
});

test.each([
  ["a captive portal's page", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
  ["an error", () => Response.json({ code: "unavailable", message: "Sorry." }, { status: 503 })],
  ["JSON of another shape", () => Response.json({ reviews: { s1: { no: [] } } })],
])("%s instead of notes is rejected", async (_, response) => {
  const { request } = networkOf(response);
  await expect(loadNotes(request, ["s1"], new AbortController().signal)).rejects.toThrow();
});
