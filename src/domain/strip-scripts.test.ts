import fc from "fast-check";
import { expect, test } from "vitest";
import { stripScripts } from "./strip-scripts.ts";

const scriptTag = /<\/?script\b[^>]*>/i;

/** Complete and partial tags, nested in each other. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "<script",
        "<script>",
        "</script",
        "</script>",
        "<scr",
        "ipt>",
        "<script/",
        ">",
        "<",
        "/",
      ),
      fc.constantFrom(" ", "a", "_", "<SCRIPT x='", "</sCrIpT\n", "scripture>", "ſ", "🎭"),
    ),
    { maxLength: 250 },
  )
  .map((parts) => parts.join(""));

/** Repeated beginnings and ends, which expose quadratic time. */
const repeatedText = fc
  .tuple(hostileText, fc.nat(60), hostileText, hostileText, fc.nat(60))
  .map(
    ([head, times, middle, tail, endTimes]) =>
      head.slice(0, 20).repeat(times) + middle + tail.slice(0, 20).repeat(endTimes),
  );

function countSteps(text: string): number {
  let steps = 0;
  stripScripts(text, () => {
    steps++;
  });
  return steps;
}

test.each([
  ["<script>alert(1)</script>cats", "cats"],
  ["a<script>b<script>c</script>d</script>e", "ade"],
  ["ca<script src=x>ts", "cats"],
  ["ca</script foo>ts", "cats"],
  ["<scr<script>ipt>cats", "cats"],
  ["a<scr</script>ipt>b</script>c", "ac"],
  ["<script <b>cats", "cats"],
  ["<script", "<script"],
  ["a > b < c", "a > b < c"],
  ["<scripted> <scripture>", "<scripted> <scripture>"],
])("%j is stripped to %j", (text, stripped) => {
  expect(stripScripts(text)).toBe(stripped);
});

test("no script tag is left in any text, and stripping is idempotent", () => {
  fc.assert(
    fc.property(fc.oneof(hostileText, repeatedText, fc.string({ unit: "binary" })), (text) => {
      const stripped = stripScripts(text);
      expect(stripped).not.toMatch(scriptTag);
      expect(stripScripts(stripped)).toBe(stripped);
    }),
    { numRuns: 2_000 },
  );
});

test("a text takes at most two steps per character", () => {
  fc.assert(
    fc.property(fc.oneof(hostileText, repeatedText), (text) => {
      expect(countSteps(text)).toBeLessThanOrEqual(2 * text.length);
    }),
    { numRuns: 2_000 },
  );
  const nested = `${"<scr".repeat(59)}<script>${"ipt>".repeat(59)}${"<script/".repeat(80)}`;
  expect(countSteps(nested)).toBeLessThanOrEqual(2 * nested.length);
});
