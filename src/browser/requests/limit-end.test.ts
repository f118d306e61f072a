import { expect, test } from "vitest";
import { reportFailed, sendReport } from "../../moderation/ui/send-report.ts";
import { deleteAccount } from "../../reviews/own/own-data-client.ts";
import { attemptFailed } from "../../reviews/own/own-reviews-texts.ts";
import { createApiRequest } from "./api-request-client.ts";
import { retryAfterOf, waitWords } from "./limit-end.ts";
import { createSignedInRequest } from "./signed-in-request.ts";

test.each([
  [1, "in 1 minute"],
  [60, "in 1 minute"],
  [61, "in 2 minutes"],
  [170, "in 3 minutes"],
  [59 * 60, "in 59 minutes"],
  [59 * 60 + 1, "in 1 hour"],
  [3_600, "in 1 hour"],
  [3_601, "in 2 hours"],
  [7_200, "in 2 hours"],
  [23 * 3_600, "in 23 hours"],
  [23 * 3_600 + 1, "tomorrow"],
  [86_400, "tomorrow"],
  [86_460, "tomorrow"],
  [0, null],
  [-60, null],
  [null, null],
  [2 * 86_400, null],
  [1e15, null],
])("a wait of %s seconds is over %s", (wait, words) => {
  expect(waitWords(wait)).toBe(words);
});

const now = Date.parse("2025-08-09T23:30:00Z");
const sentAt = "Sat, 09 Aug 2025 23:10:00 GMT";

test.each([
  ["seconds", { "Retry-After": "95" }, 95],
  ["seconds with white space", { "Retry-After": " 7 " }, 7],
  ["nothing", {}, null],
  ["an empty text", { "Retry-After": "" }, null],
  ["a negative number", { "Retry-After": "-30" }, null],
  ["a fraction", { "Retry-After": "1.5" }, null],
  ["another notation", { "Retry-After": "1e3" }, null],
  ["words", { "Retry-After": "in 5 minutes" }, null],
  ["a date that is none", { "Retry-After": "Sat, 99 Aug 2025 25:00:00 GMT" }, null],
  ["an HTTP date", { "Retry-After": "Sat, 09 Aug 2025 23:31:40 GMT" }, 100],
  ["an old HTTP date", { "Retry-After": "Saturday, 09-Aug-25 23:31:40 GMT" }, 100],
  ["a date that is over", { "Retry-After": "Sat, 09 Aug 2025 23:29:00 GMT" }, -60],
  ["a date, by the server's clock", { "Retry-After": "Sat, 09 Aug 2025 23:31:40 GMT", Date: sentAt }, 1300],
])("%s", (_, headers, seconds) => {
  expect(retryAfterOf(new Headers(headers), now)).toBe(seconds);
});

test.each([
  ["2400", "You can send it in 40 minutes.", "You can try again in 40 minutes."],
  ["later", "Please try again later.", "Please try again in a moment."],
])("reporting and deleting beyond a limit with Retry-After %j say when", async (wait, report, deletion) => {
  const limited = () =>
    Response.json(
      { code: "rate_limited", message: "No." },
      { status: 429, headers: { "Retry-After": wait } },
    );
  const request = createApiRequest(
    async () => limited(),
    () => "key",
  );
  const session = {
    current: () => ({ status: "signed-in", user: { id: "u1" } }),
    accessToken: async () => "t1",
    renewToken: async () => null,
    endToast: () => null,
  };
  const send = createSignedInRequest(request, session);
  const reported = sendReport({ request, send, session }, "n1", new FormData());
  expect(reportFailed(await reported.catch((error) => error)).description).toBe(
    `Your report was not sent: too many came from your network. ${report}`,
  );
  const deleted = deleteAccount(send, "u1", "a@b.example");
  expect(attemptFailed("remove")(await deleted.catch((error) => error)).description).toBe(
    `The review could not be deleted. ${deletion}`,
  );
});
