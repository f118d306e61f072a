// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { reportFailed } from "../../moderation/ui/report-texts.ts";
import { actionFailed } from "../../reviews/state/own-reviews-texts.ts";
import { ApiRequestError } from "./api-request-client.ts";
import { formatWait } from "./limit-end.ts";

test.each<[text: string | null, ...waits: number[]]>([
  ["in 1 minute", 1, 60],
  ["in 2 minutes", 61],
  ["in 3 minutes", 170],
  ["in 59 minutes", 59 * 60],
  ["in 1 hour", 59 * 60 + 1, 3_600],
  ["in 2 hours", 3_601, 7_200],
  ["in 23 hours", 23 * 3_600],
  ["tomorrow", 23 * 3_600 + 1, 86_400, 86_460],
  [null, 0, -60, Number.NaN, 2 * 86_400, 1e15],
])("the wait is over %s", (text, ...waits) => {
  for (const wait of waits) expect(formatWait(wait), `${wait} s`).toBe(text);
});

test.each([
  ["2400", "You can send it in 40 minutes.", "You can try again in 40 minutes."],
  ["", "Please try again later.", "Please try again in a moment."],
  ["later", "Please try again later.", "Please try again in a moment."],
])("reporting and deleting beyond a limit with Retry-After %j say when", (wait, report, deletion) => {
  const body = { code: "network_rate_limited", message: "" };
  const response = Response.json(body, { status: 429, headers: { "Retry-After": wait } });
  const error = new ApiRequestError(response, body);
  const reported = `Your report was not sent: too many came from your network. ${report}`;
  expect(reportFailed(error).description).toBe(reported);
  const deleted = `The review could not be deleted. ${deletion}`;
  expect(actionFailed("remove")(error).description).toBe(deleted);
});
