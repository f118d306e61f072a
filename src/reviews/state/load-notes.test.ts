import { expect, test } from "vitest";
import { createApiRequest } from "../../browser/requests/api-request-client.ts";
import { loadNotes } from "./load-notes.ts";

function load(response: Response) {
  const urls: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    urls.push(String(url));
    return response;
  };
  const request = createApiRequest(fetch, () => "front-row-public");
  return { found: loadNotes(request, ["a&b", "c"], new AbortController().signal), urls };
}

test("notes are loaded with one request for all shows", async () => {
  const none = { count: 0, total: 0, notes: [] };
  const note = { id: "n1", notes: "<b>", created_at: "2025-08-04T12:00:00.000Z" };
  const reviews = {
    "a&b": { no: none, very_little: none, yes: { count: 3, total: 1, notes: [note] }, revision: 8 },
  };
  const { found, urls } = load(Response.json({ reviews }));
  expect(Object.fromEntries(await found)).toEqual(reviews);
  expect(urls).toEqual(["/api/reviews?show_id=a%26b&show_id=c"]);
});

test.each([
  ["a captive portal's page", new Response("<html>", { headers: { "Content-Type": "text/html" } })],
  ["an error", Response.json({ code: "unavailable", message: "Sorry." }, { status: 503 })],
  ["JSON of another shape", Response.json({ reviews: { s1: { no: [] } } })],
])("%s instead of notes is rejected", (_, response) => expect(load(response).found).rejects.toThrow());
