import { expect, test } from "vitest";
import { REPORT_TEXT_MAX } from "../../domain/report.ts";
import { reportBody } from "./reports-api.server.ts";

const report = { note_id: "5f0c2d57-4a8f-4c0e-9f0e-3c1d4a7b9e21", reason: "fake" };

test("the length of a report's text counts without the white space around it", () => {
  const longest = "x".repeat(REPORT_TEXT_MAX);
  expect(reportBody.safeParse({ ...report, text: `  ${longest}\n` }).success).toBe(true);
  expect(reportBody.safeParse({ ...report, text: `${longest}x` }).success).toBe(false);
});

test("a report's text is plain text, and can be missing", () => {
  expect(reportBody.safeParse(report).success).toBe(true);
  expect(reportBody.safeParse({ ...report, text: "a\u0000b" }).success).toBe(false);
});
