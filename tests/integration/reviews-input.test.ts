import { beforeEach, describe, expect, test } from "vitest";
import { inventReviewers, type Reviewer, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { savedReview } from "../../src/domain/review-dto.ts";
import { statusAndCode as refusal, securityEvents } from "../support/accounts.ts";
import { givenNone, givenShows } from "../support/given.ts";
import { openRawConnection, responseStatuses } from "../support/raw-connection.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import { countedWrites, storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, [{}, { id: "last-year", year: YEAR - 1 }, { id: "left", listed: false }]);
const site = await setUpSite(database);
let wren: Reviewer;

beforeEach(async () => {
  await givenNone(db, "users", "review_limits");
  [wren = expect.fail()] = await inventReviewers(db, site.origin, 1);
});

function put(body: string): Promise<Response> {
  return fetch(`${site.origin}/api/reviews`, { method: "PUT", headers: reviewHeaders(wren), body });
}

const valid = (changes: object = {}) => ({
  ...{ show_id: "show-1", user_id: wren.id, audience_interaction: "yes", notes: null },
  ...changes,
});

const review = (changes: object = {}) => put(JSON.stringify(valid(changes)));
const tooLong: [number, string] = [422, "notes_too_long"];

const stored = () =>
  storedRows(db, "reviews", ["show_id", "user_id", "audience_interaction", "notes", "created_at"]);

describe("notes (docs/product.md §5.7)", () => {
  test.each([
    ["nothing", undefined, null],
    ["null", null, null],
    ["white space", " \n\t\u00a0\u2003 ", null],
    ["line breaks of any kind", "a\r\nb\rc\nd\te", "a\nb\nc\nd\te"],
    ["1000 characters and line breaks around", `\u0085${"a".repeat(1000)}\v\f`, "a".repeat(1000)],
    ["markup", "<script>alert(1)</script> & <b>bold</b>", "<script>alert(1)</script> & <b>bold</b>"],
    ["SQL", "'; drop table reviews; --", "'; drop table reviews; --"],
    ["right-to-left text and emoji", "مرحبا 🎭👩‍👩‍👧", "مرحبا 🎭👩‍👩‍👧"],
    ["1000 characters with space around", ` ${"a".repeat(1000)} `, "a".repeat(1000)],
    ["500 emoji", "🎭".repeat(500), "🎭".repeat(500)],
  ])("of %s are cleaned and stored", async (_what, notes, cleaned) => {
    expect(savedReview.parse(await (await review({ notes })).json()).review.notes).toBe(cleaned);
    expect(await stored()).toMatchObject([{ notes: cleaned }]);
  });

  test.each<[string, string, [number, string]]>([
    ["1001 characters", "a".repeat(1001), tooLong],
    ["501 emoji", "🎭".repeat(501), tooLong],
    ...["a\\u0000b", "a\\u001b[31mb", "\\u0007", "a\\u0099b", "\\ud83c", "a\\udfadb", "\\udfad\\ud83c"].map(
      (escaped): [string, string, [number, string]] => [escaped, escaped, [400, "invalid_review"]],
    ),
  ])("of %s are refused", async (_what, escaped, expected) => {
    const response = await put(JSON.stringify(valid({ notes: "@" })).replace("@", escaped));
    const { code, message } = await response.json();
    expect([response.status, code]).toEqual(expected);
    if (expected === tooLong) expect(message).toBe("Notes cannot exceed 1000 characters");
    expect(await stored()).toEqual([]);
  });
});

describe("a bad review is refused, counted, and does not change the earlier one", () => {
  test.each<[string, object | string, [number, string]]>([
    ["of an unknown show", { show_id: "show-none" }, [404, "show_not_found"]],
    ["of a show that is not listed", { show_id: "left" }, [404, "show_not_found"]],
    ["of a show of another year", { show_id: "last-year" }, [404, "show_not_found"]],
    ["of a show with SQL in it", { show_id: "' or true --" }, [404, "show_not_found"]],
    ["with an empty show", { show_id: "" }, [400, "invalid_review"]],
    ["with a NUL in the show", { show_id: "show-1\0" }, [400, "invalid_review"]],
    ["with an unknown interaction", { audience_interaction: "maybe" }, [400, "invalid_review"]],
    ["with another user's id", { user_id: "00000000-0000-4000-8000-000000000001" }, [403, "not_your_review"]],
    ["with a user id that is no id", { user_id: "me" }, [403, "not_your_review"]],
    ["as an empty body", "", [400, "invalid_review"]],
    ["as half of the JSON", '{"show_id":"show-1"', [400, "invalid_review"]],
    ["as null", "null", [400, "invalid_review"]],
    ["with deep nesting", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, [400, "invalid_review"]],
    ["with 100,000 levels", "[".repeat(100_000), [413, "request_too_large"]],
    ["of 10 MB", `{"notes":"${"a".repeat(10_000_000)}"}`, [413, "request_too_large"]],
  ])("%s", async (_what, given, expected) => {
    await review({ notes: "Earlier" });
    const before = await stored();
    const body = typeof given === "string" ? given : JSON.stringify(valid(given));
    expect(await refusal(await put(body))).toEqual(expected);
    expect(await stored()).toEqual(before);
    expect(await countedWrites(db, wren.id)).toMatchObject({ 60: 2 });
  });

  const wrong: unknown[] = [1, true, [], ["yes"], {}, { toString: "yes" }];
  test.each(["show_id", "user_id", "audience_interaction", "notes"])("if %s is no string", async (field) => {
    await review({ notes: "Earlier" });
    const before = await stored();
    for (const value of field === "notes" ? wrong : [...wrong, null, undefined]) {
      await givenNone(db, "review_limits");
      expect(await refusal(await review({ [field]: value }))).toEqual([400, "invalid_review"]);
    }
    expect(await stored()).toEqual(before);
  });
});

function headOf(framing: string): string {
  const headers = Object.entries(reviewHeaders(wren)).map((header) => header.join(": "));
  return ["PUT /api/reviews HTTP/1.1", "Host: here", ...headers, framing, "", ""].join("\r\n");
}

test("refuses an endless body and closes the connection", async () => {
  const { socket, closed } = await openRawConnection(site.origin);
  socket.write(headOf("Transfer-Encoding: chunked"));
  let chunks = 0;
  for (; !socket.destroyed && chunks < 2_000; chunks++) {
    const canContinue = socket.write(`10000\r\n${"a".repeat(65_536)}\r\n`);
    if (!canContinue) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  expect(chunks).toBeLessThan(1_500);
  expect(await closed).toMatch(/^HTTP\/1\.1 413 .*"request_too_large"/s);
});

test("accepts the next review on the same connection after a body that was too large", async () => {
  const { socket, waitForResponses } = await openRawConnection(site.origin);
  socket.write(headOf("Content-Length: 1000000") + "a".repeat(1_000_000));
  expect(await waitForResponses(1)).toContain('"request_too_large"');
  const next = JSON.stringify(valid());
  socket.write(headOf(`Content-Length: ${next.length}`) + next);
  expect(responseStatuses(await waitForResponses(2))).toEqual([413, 200]);
  socket.destroy();
});

test("a write in another user's name leaves a security event", async () => {
  const others = [crypto.randomUUID(), "me", "", wren.id.slice(1)];
  for (const user_id of others)
    expect((await review({ user_id, notes: "x".repeat(1_001) })).status).toBe(403);
  const refused = { event: "write_refused", reason: "not_your_review" };
  expect(securityEvents(site, wren.id)).toEqual(others.map(() => refused));
});

test("accepts the user's id in capitals", async () => {
  const response = await review({ user_id: wren.id.toUpperCase() });
  expect(response.status).toBe(200);
  expect(savedReview.parse(await response.json()).review.user_id).toBe(wren.id);
  await review({ notes: "Again" });
  expect(await stored()).toMatchObject([{ user_id: wren.id, notes: "Again" }]);
});
