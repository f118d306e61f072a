import { expect, test } from "vitest";
import { isWellFormedCallback, parseCallback } from "./callback-url.ts";

const site = "https://front-row.example";

test("a URL without a sign-in's parameters is ignored", () => {
  for (const address of ["/", "/?search=code&page=2", "/auth", "/#shows", "/?decode=1&errors=2"]) {
    expect(parseCallback(site + address)).toBeNull();
  }
});

test("a code is removed from the URL, and everything else stays", () => {
  expect(parseCallback(`${site}/?search=a%20b&code=4f6-x&interaction=no&interaction=yes#shows`)).toEqual({
    outcome: { kind: "code", code: "4f6-x" },
    address: `${site}/?search=a+b&interaction=no&interaction=yes#shows`,
  });
  expect(parseCallback(`${site}/auth?code=1`)?.address).toBe(`${site}/auth`);
});

test.each(["?code=4f6-x&sb_flow_id=0af3", "?sb_flow_id=0af3&code=4f6-x"])(
  "the id is parsed and removed (%s)",
  (query) => {
    expect(parseCallback(`${site}/auth${query}&page=2`)).toEqual({
      outcome: { kind: "code", code: "4f6-x" },
      attemptId: "0af3",
      address: `${site}/auth?page=2`,
    });
  },
);

test.each([
  [true, "a code of this server", "q".repeat(43), "0af3".repeat(8)],
  [true, "a UUID", "6f1f3c2e-8f0b-4f0a-9a0e-3f7c1d2b4a5e", "Flow_id-1"],
  [false, "a short code", "17", "0af3".repeat(8)],
  [false, "a code of words", "call 0900 123", "0af3".repeat(8)],
  [false, "a code without an end", "q".repeat(129), "0af3".repeat(8)],
  [false, "a short id", "q".repeat(43), "0af3"],
  [false, "an id with markup", "q".repeat(43), "<b>0af30af3</b>"],
])("it is %s that the callback is well-formed with %s", (expected, _, code, attemptId) => {
  expect(isWellFormedCallback(code, attemptId)).toBe(expected);
});

test("the id of a sign-in that failed is removed, and one without a result is ignored", () => {
  expect(parseCallback(`${site}/?sb_flow_id=0af3&error=server_error`)?.address).toBe(`${site}/`);
  expect(parseCallback(`${site}/?sb_flow_id=0af3`)).toBeNull();
});

test.each([
  "?error=access_denied&error_code=access_denied&error_description=Not+today",
  "#error=access_denied&error_code=access_denied&error_description=Not+today",
  "?error=access_denied&error_description=Not+today#error=access_denied&error_description=Not+today",
])("an error in query or fragment is parsed and removed (%s)", (suffix) => {
  const errorCode = suffix.includes("error_code") ? "access_denied" : null;
  expect(parseCallback(`${site}/${suffix}`)).toEqual({
    outcome: { kind: "error", errorCode, message: "Not today" },
    address: `${site}/`,
  });
});

const noDetails = { kind: "error", errorCode: null, message: null };

test("an error takes precedence over a code, and an empty code is an error", () => {
  expect(parseCallback(`${site}/?code=1&error=server_error`)?.outcome).toEqual(noDetails);
  expect(parseCallback(`${site}/?code=`)?.outcome).toEqual(noDetails);
});

test("a message is one line without control or bidi characters, and at most 300 characters", () => {
  const messageOf = (text: string) =>
    parseCallback(`${site}/?error_description=${encodeURIComponent(text)}`)?.outcome ?? null;
  expect(messageOf("Not\r\n\ttoday\u0000\u0007, \u202emoc.live\u2066 ")).toEqual({
    ...noDetails,
    message: "Not today , moc.live",
  });
  expect(messageOf("<b>&amp;</b>")).toEqual({ ...noDetails, message: "<b>&amp;</b>" });
  expect(messageOf("🎭".repeat(400))).toEqual({ ...noDetails, message: "🎭".repeat(300) });
  expect(messageOf("\u0000 \n")).toEqual(noDetails);
});

test("a path that begins with two slashes stays a path of this host", () => {
  const expected = `${site}//elsewhere.example/`;
  expect(parseCallback(`${site}//elsewhere.example/?code=1`)?.address).toBe(expected);
});
