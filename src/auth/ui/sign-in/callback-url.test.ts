import { expect, test } from "vitest";
import { parseCallback } from "./callback-url.ts";

const site = "https://front-row.example";

test("a URL without a sign-in's result is ignored", () => {
  const suffixes = "/ /?search=code&page=2 /auth /#shows /?decode=1&errors=2 /?sb_flow_id=0af3".split(" ");
  for (const suffix of suffixes) expect(parseCallback(site + suffix), suffix).toBeNull();
});

const code = { kind: "code", code: "4f6-x" };
const failed = { kind: "error", errorCode: null, message: null };
const denied = "error=access_denied&error_code=access_denied&error_description=Not+today";
const refusal = { kind: "error", errorCode: "access_denied", message: "Not today" };

test.each([
  ["/?search=a%20b&code=4f6-x&yes=1&yes=2#shows", "/?search=a+b&yes=1&yes=2#shows", code],
  ["/auth?code=4f6-x&sb_flow_id=0af3&page=2", "/auth?page=2", code, "0af3"],
  ["/auth?sb_flow_id=0af3&code=4f6-x", "/auth", code, "0af3"],
  ["/?sb_flow_id=0af3&error=server_error", "/", failed, "0af3"],
  [`/?${denied}`, "/", refusal],
  [`/#${denied}`, "/", refusal],
  [`/?${denied}#${denied}`, "/", refusal],
  ["/?code=1&error=server_error", "/", failed],
  ["/?code=", "/", failed],
  ["//elsewhere.example/?code=4f6-x", "//elsewhere.example/", code],
])("%s becomes %s", (suffix, address, outcome, attemptId?: string) => {
  expect(parseCallback(site + suffix)).toEqual({ outcome, attemptId, address: site + address });
});

test.each([
  ["Not\r\n\ttoday\u0000\u0007, \u202emoc.live\u2066 ", "Not today , moc.live"],
  ["<b>&amp;</b>", "<b>&amp;</b>"],
  ["🎭".repeat(400), "🎭".repeat(300)],
  ["\u0000 \n", null],
])(
  "the message %j is one line without control or bidi characters, and at most 300 characters",
  (text, message) => {
    const parsed = parseCallback(`${site}/?error_description=${encodeURIComponent(text)}`);
    expect(parsed?.outcome).toEqual({ ...failed, message });
  },
);
