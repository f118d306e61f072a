import { globSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createBuiltApp } from "../support/built-app.ts";
import { newerInScripts, type Script } from "../support/compatibility/newer-in-scripts.ts";
import { newerInStyles } from "../support/compatibility/newer-in-styles.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** React and its router ask for these in another function than that which uses them. */
const askedFor = [/^libraries: (navigation|(document)?\.startViewTransition(\(\))?)$/];

/** What old browsers go without: the page looks plainer, and everything is there. */
const richer = [
  // Frames and colours, and the page behind a dialog that does not scroll.
  /^:has in (:is\(main:has|\.review-answer:has|html:has)/,
  // Colours of one's own, where the system has such a setting.
  /^@media \(forced-colors:active\)$|^forced-color-adjust$/,
  // A pointer's look, a handle that phones have not, scroll bars, line breaks of titles.
  /^cursor: |^resize$|^(overscroll-behavior|scrollbar-gutter|text-wrap)$/,
  // Beside -webkit-line-clamp; the next font of the list; abbreviations and dates, which the site has not.
  /^line-clamp$|^font-family: ui-monospace$|^text-decoration: dotted$|^unit lh$/,
  // Parts of one engine's fields.
  /^-webkit-tap-highlight-color$|^:-webkit-(inner-spin-button|search-cancel-button) in /,
];

function builtFiles(pattern: string): Script[] {
  return globSync(`build/client/assets/${pattern}`).map((path) => ({
    name: path.replace(/^.*assets\/|-[\w-]{8}\.\w+$/g, ""),
    text: readFileSync(path, "utf8"),
  }));
}

function without(findings: string[], known: RegExp[]): string[] {
  return findings.filter((finding) => !known.some((pattern) => pattern.test(finding)));
}

const find = (text: string) => newerInScripts([{ name: "bad", text }]);

test("no built script uses what the oldest browsers lack, unless it asks first (docs/product.md §1.11)", () => {
  const scripts = builtFiles("*.js");
  expect(scripts.length).toBeGreaterThan(10);
  expect(without(newerInScripts(scripts), askedFor)).toEqual([]);
});

test("no inline script of a page does either", async () => {
  const database = await createTestDatabase();
  onTestFinished(database.close);
  const app = await createBuiltApp(database, {});
  for (const path of ["/", "/auth", "/nowhere"]) {
    const html = await (await app.get(path)).text();
    const scripts = [...html.matchAll(/<script(?![^>]*ld\+json)[^>]*>([\s\S]*?)<\/script>/g)];
    expect(scripts.length, path).toBeGreaterThan(3);
    expect(newerInScripts(scripts.map(([, text = ""]) => ({ name: path, text })))).toEqual([]);
  }
});

test("no built style hides or breaks anything in them", () => {
  const styles = builtFiles("*.css");
  expect(styles).toHaveLength(1);
  expect(
    without(
      styles.flatMap(({ text }) => newerInStyles(text)),
      richer,
    ),
  ).toEqual([]);
});

test.each([
  ["Promise.withResolvers()", "Promise.withResolvers"],
  ["const { promise } = window.Promise.withResolvers()", ".withResolvers()"],
  ["const { withResolvers } = Promise", ".withResolvers()"],
  ["text.isWellFormed()", ".isWellFormed()"],
  ["list.toSorted((a, b) => a - b)", ".toSorted()"],
  ["Array.prototype.toReversed.call(list)", ".toReversed()"],
  ["list[`toSpliced`](1)", ".toSpliced()"],
  ["AbortSignal.any([signal])", "AbortSignal.any"],
  ["fetch(url, { signal: AbortSignal.timeout(5) })", "AbortSignal.timeout"],
  ["Object.groupBy(list, key)", "Object.groupBy"],
  ["Array.fromAsync(list)", "Array.fromAsync"],
  ["shows.union(others)", ".union()"],
  ["map.values().map(double).toArray()", "Iterator.prototype.map"],
  ["new Intl.Segmenter('en')", "Intl.Segmenter"],
  ["URL.canParse(text)", "URL.canParse"],
  ["requestIdleCallback(work)", "requestIdleCallback"],
  ["window.requestIdleCallback(work)", "requestIdleCallback"],
  ["scheduler.yield()", "scheduler"],
  ["navigator.userActivation.isActive", "navigator.userActivation"],
  ["form?.requestSubmit()", ".requestSubmit()"],
  ["menu.showPopover()", ".showPopover()"],
  ["input.showPicker()", ".showPicker()"],
  ["class A { static { start() } }", "static {}"],
  ["/(?<=a)b/.test(text)", "lookbehind in (?<=a)b"],
  ["new RegExp('(?<!a)b')", "lookbehind in (?<!a)b"],
  ["RegExp('[a--b]', 'v')", "RegExp flag v"],
  ["/[a--b]/v", expect.stringMatching(/^syntax: .*flag/)],
  ["{ using file = open() }", expect.stringMatching(/^syntax: /)],
  ["if (other) shows.union(others)", ".union()"],
  ["typeof other === 'function' && Promise.withResolvers()", "Promise.withResolvers"],
])("the check finds %s", (text, finding) => {
  const [found = "", ...more] = find(text);
  expect(found.replace(/^bad: /, "")).toEqual(finding);
  expect(more.filter((other) => !/toArray/.test(other))).toEqual([]);
});

test.each([
  "structuredClone(list).at(-1)",
  "list.findLast(Boolean); Object.hasOwn(list, 1); crypto.randomUUID()",
  "AbortSignal.any?.([signal])",
  "window.trustedTypes?.createPolicy('a', {})",
  "if (typeof requestIdleCallback === 'function') requestIdleCallback(work)",
  "const later = window.requestIdleCallback ? (work) => requestIdleCallback(work) : setTimeout",
  "if ('share' in navigator) navigator.share({ url })",
  "function share() { if (!navigator.share) return copy(); return navigator.share({ url }) }",
  "Promise.withResolvers && Promise.withResolvers()",
  "Object.values(map).map(double)",
  "class Shape { union() {} } new Shape().flatten()",
  "response.json(); text.match(/(?<word>a)/u)",
])("the check lets %s pass", (text) => {
  expect(find(text)).toEqual([]);
});

test.each([
  [".a { & .b { color: red } }", "nesting in & .b"],
  ["@media (width >= 44em) { .a { display: block } }", "@media (width >= 44em)"],
  ["@media (scripting: none) { .a { display: block } }", "@media (scripting: none)"],
  ["@container (min-width: 4em) { .a { display: block } }", "@container"],
  ["main:has(.a) .b { display: block }", ":has in main:has(.a) .b"],
  [".a:popover-open { display: block }", ":popover-open in .a:popover-open"],
  [".a { height: 2lh }", "unit lh"],
  [".a { color: color-mix(in srgb, red, blue) }", "color-mix()"],
  [".a { color: light-dark(red, blue) }", "light-dark()"],
  [".a { color: oklch(50% 0 0) }", "oklch()"],
  [".a { overflow: clip }", "overflow: clip"],
  [".a { grid-template-rows: subgrid }", "grid-template-rows: subgrid"],
  [".a { anchor-name: --a }", "anchor-name"],
  ["@scope (.a) { .b { color: red } }", "@scope"],
])("the check finds %s in styles", (text, finding) => {
  expect(newerInStyles(text)).toContain(finding);
});

test.each([
  "@supports (overflow: clip) { .a { overflow: clip } }",
  "@media (min-width: 44em) and (hover: none) { .a:focus-visible { height: 10dvh; inset: 0 } }",
  "@layer base { dialog:modal { translate: 0 1rem; padding-inline: clamp(1rem, 2vw, 3rem) } }",
])("the check lets the style %s pass", (text) => {
  expect(newerInStyles(text)).toEqual([]);
});
