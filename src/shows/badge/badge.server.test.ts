import fc from "fast-check";
import { expect, test } from "vitest";
import { YEAR } from "../../domain/programme.ts";
import { badgeOf, drawBadge, unlistedBadge } from "./badge.server.ts";

const tallies = (no: number, very_little: number, yes: number, year = YEAR) => {
  return { reviews: { no, very_little, yes }, year };
};

test.each([
  [tallies(12, 1, 1), "No · 12 of 14", "filled no"],
  [tallies(0, 5, 0), "Very little · 5 of 5", "filled very_little"],
  [tallies(175, 4, 20), "No · 175 of 199", "filled no"],
  [tallies(3, 0, 3), "Yes · 3 of 6, tied with No", "outlined yes"],
  [tallies(1, 0, 3), "Only 4 people have said so far.", "outlined"],
  [tallies(0, 0, 1), "Only 1 person has said so far.", "outlined"],
  [tallies(0, 0, 0), "not reviewed yet", "outlined"],
  [tallies(12, 1, 1, YEAR - 1), `In ${YEAR - 1}: 12 of 14 said No.`, "outlined"],
  [tallies(0, 0, 0, YEAR - 1), `In ${YEAR - 1}: no reviews.`, "outlined"],
  [{ year: YEAR }, "Reviews can't be loaded right now.", "grey"],
])("the badge of %j says: %s (docs/product.md §3.15)", (show, text, look) => {
  const svg = drawBadge("Moth Hour", badgeOf(show));
  const escaped = text.replace("'", "&#39;");
  expect(svg).toContain(`<title id="t">Moth Hour: Audience interaction: ${escaped}</title>`);
  expect(svg).toMatch(new RegExp(`>${escaped}</text>\n</g>`));
  expect(svg).toContain(`<g class="${look}">`);
  expect(drawBadge("Moth Hour", unlistedBadge)).toContain('<g class="grey">');
});

test("a badge is small and well-formed for any title, and contains its first 100 characters", () => {
  const widest = badgeOf(tallies(99_999, 99_999, 99_999));
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 250 }),
    fc.constantFrom("'\"&<>".repeat(30), '"'.repeat(250), "&".repeat(250), "🎭".repeat(250)),
  );
  fc.assert(
    fc.property(text, (title) => {
      const svg = drawBadge(title, widest);
      expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(2_000);
      const [, named = expect.fail()] =
        /^<svg [^<>]*>\n<title id="t">([^<>]*): Audience interaction: Yes · 99999 of [^<>]*<\/title>\n<style/.exec(
          svg,
        ) ?? [];
      expect(named).toMatch(/^([^&]|&(amp|lt|gt);)*$/);
      expect(named).toMatch(/^[\t\n\r -\ufffd\u{10000}-\u{10ffff}]*$/u);
      expect([...named.replace(/&[^;]+;/g, "x")].length).toBeLessThanOrEqual(100);
      expect(svg).not.toMatch(/<script|<font|url\(|href/);
    }),
  );
  expect(drawBadge("🎭".repeat(101), widest)).toContain(`>${"🎭".repeat(100)}: `);
});
