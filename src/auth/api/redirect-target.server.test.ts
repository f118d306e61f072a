import fc from "fast-check";
import { expect, test } from "vitest";
import { allowedRedirect, withCode } from "./redirect-target.server.ts";

const origin = "https://front-row.example";
const redirectUrls = ["https://app.example/signed-in?from=front-row", `${origin}/privacy`];
const allowed = (requested: string | null) =>
  allowedRedirect(requested, { origin, redirectOrigins: [origin], redirectUrls });

test.each([
  ["https://front-row.example", "https://front-row.example/"],
  ["https://front-row.example/", "https://front-row.example/"],
  ["https://front-row.example:443/auth", "https://front-row.example/auth"],
  ["https://front-row.example/auth?from=list", "https://front-row.example/auth?from=list"],
  ["HTTPS://FRONT-ROW.example/?search=a%20b&page=2", "https://front-row.example/?search=a%20b&page=2"],
  ["https://app.example/signed-in?from=front-row", "https://app.example/signed-in?from=front-row"],
])("a sign-in may redirect to %s", (requested, expected) => {
  expect(allowed(requested)).toBe(expected);
});

test.each([
  ["no address", null],
  ["a path", "/auth"],
  ["a host with the same beginning", "https://front-row.example.evil.example/"],
  ["a host with the same end", "https://evil-front-row.example/"],
  ["a subdomain", "https://evil.front-row.example/"],
  ["another port", "https://front-row.example:8443/"],
  ["a javascript: URL", "javascript:alert(1)//https://front-row.example"],
  ["the origin as user info", "https://front-row.example@evil.example/"],
  ["user info at the origin", "https://evil.example@front-row.example/"],
  ["the origin in the path", "https://evil.example/https://front-row.example/"],
  ["a backslash before the path", "https://front-row.example\\@evil.example/"],
  ["a backslash after the host", "https://evil.example\\.front-row.example/"],
  ["backslashes instead of slashes", "https:\\\\front-row.example/"],
  ["no slashes", "https:evil.example"],
  ["a page that leaves the code in its address", "https://front-row.example/terms?a=b"],
  ["such a page of a configured address", "https://front-row.example/privacy"],
  ["a 404 page", "https://front-row.example/auth/"],
  ["a page in other letters", "https://front-row.example/Auth"],
  ["an encoded path", "https://front-row.example/%61uth"],
  ["the API", "https://front-row.example/api/shows?page=2"],
  ["a file", "https://front-row.example/favicon.ico"],
  ["a path of two slashes", "https://front-row.example//auth"],
  ["a decimal address", "https://2130706433/"],
  ["a tab", "https://front-row\t.example/"],
  ["a line break", "https://front-row.example/\r\nSet-Cookie: a=b"],
  ["a configured address with a longer query", "https://app.example/signed-in?from=front-row&more"],
  ["the origin of a configured address", "https://app.example/"],
  ["a URL above the length limit", `https://front-row.example/?${"a".repeat(3_000)}`],
])("a redirect to %s is refused", (_what, requested) => {
  expect(allowed(requested)).toBe("https://front-row.example/");
});

test("any requested URL results in a URL of the site or a configured one", () => {
  const words = ["https://", "http:", "//", "front-row.example", "evil.example", "%2f"];
  const pieces = fc.constantFrom(..."\\@#?:/.\t", ...words);
  const rest = fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom("", origin), rest, (start, parts) => {
      const url = new URL(allowed(start + parts.join("")));
      expect(["/", "/auth"].includes(url.pathname) || url.href === redirectUrls[0]).toBe(true);
      expect(url.origin === origin || url.href === redirectUrls[0]).toBe(true);
      expect(url.username + url.password).toBe("");
    }),
    { numRuns: 2_000 },
  );
});

test("a local site allows localhost and 127.0.0.1, but no other spelling of the loopback address", () => {
  const origins = ["http://localhost:3000", "http://127.0.0.1:3000"];
  const rules = { origin: "http://localhost:3000", redirectOrigins: origins, redirectUrls: [] };
  for (const origin of origins) expect(allowedRedirect(`${origin}/?page=2`, rules)).toBe(`${origin}/?page=2`);
  for (const host of ["2130706433:3000", "127.1:3000", "0x7f000001:3000", "[::1]:3000", "127.0.0.1:3001"]) {
    expect(allowedRedirect(`http://${host}/`, rules)).toBe("http://localhost:3000/");
  }
});

test("a code is added to the existing query", () => {
  const expected = `${origin}/?a=b%20c&flag&code=the-code`;
  expect(withCode(`${origin}/?a=b%20c&flag&error=old#old`, "the-code")).toBe(expected);
  expect(withCode(`${origin}/auth`, "the-code")).toBe(`${origin}/auth?code=the-code`);
});
