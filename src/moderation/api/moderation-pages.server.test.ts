import { expect, test } from "vitest";
import type { Report } from "../store/report-queue.server.ts";
import { decisionPage } from "./moderation-pages.server.ts";

const created_at = "2026-08-10T12:00:00.000Z";

const report: Report = {
  id: "3",
  rule: "abusive",
  opened_at: new Date(created_at),
  decided_at: null,
  hidden_at: null,
  objection: Array(40).fill("But why?").join("\n"),
  show: { id: "7", title: "Moth\u0300\u0301\u0302\u0303\u0304 Hour" },
  author: { id: "1", email: "wren@people.example" },
  review: {
    audience_interaction: "yes",
    note_id: "1",
    notes: `No\n\n\n\nbounds${"\n\u20dd".repeat(2)}`,
    created_at,
  },
  rewritten: false,
  reporters: { signed_in: 1, anonymous: 0 },
  reported_by: [],
  other_notes: [],
  reasons: [{ reason: "abusive", signed_in: true, count: 1 }],
  texts: [{ reason: "abusive", text: "Look\r\n\r\n\r\n\r\nhere", signed_in: true }],
};

test("what others wrote is bounded on the page of a link, and only what is high has Show all", async () => {
  const { html } = await decisionPage(report);
  const quotations = html.split('<div class="quotation">').slice(1);
  expect(quotations[0]).toContain("No\n\nbounds");
  expect(quotations[1]).toContain("Look\n\nhere");
  expect(quotations.map((quotation) => quotation.includes("<summary>Show all</summary>"))).toEqual([
    false,
    false,
    true,
  ]);
  expect(html).toContain("<bdi>Moth\u0300\u0301\u0302 Hour</bdi>");
});
