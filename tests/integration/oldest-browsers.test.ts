import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createBuiltApp } from "../support/built-app.ts";
import { newerInScripts } from "../support/compatibility/newer-in-scripts.ts";
import { newerInStyles } from "../support/compatibility/newer-in-styles.ts";
import { setUpDatabase } from "../support/set-up.ts";

const askedFor: Record<string, RegExp> = {
  ".startViewTransition()": /try\{.{0,30}\.startViewTransition\(/,
  // A member of zod's own.
  ".when()": /_zod\.def\)\.when\?\?/,
  "document.startViewTransition": /typeof [\w.]+\.startViewTransition==/,
  "Error.captureStackTrace": /`captureStackTrace`in Error/,
  navigation: /typeof navigation==/,
  "navigator.connection": /navigator\.connection&&/,
  "navigator.share": /if\(navigator\.share&&/,
  "PublicKeyCredential.parseCreationOptionsFromJSON": /typeof PublicKeyCredential\.parseCreationOptions/,
  "PublicKeyCredential.parseRequestOptionsFromJSON": /typeof PublicKeyCredential\.parseRequestOptions/,
  requestIdleCallback: /window\.requestIdleCallback\?\?/,
  setImmediate: /typeof setImmediate/,
  trustedTypes: /trustedTypes\?\./,
};

/** Old browsers may lack these: the page looks plainer, but is complete. */
const richer = [
  // Frames, colours, and the scroll lock behind a dialog.
  /^:has in (:is\(main:has|\.review-option:has|html:has)/,
  // The user's own colours, if the system has such a setting.
  /^@media \(forced-colors:active\)$|^forced-color-adjust$/,
  // Tallies as rows in a narrow card.
  /^@container$|^container-type$/,
  // Pointers, a handle that phones do not have, scroll bars, line breaks of titles.
  /^cursor: |^resize$|^(overscroll-behavior|scrollbar-gutter|text-wrap)$/,
  // Next to -webkit-line-clamp; a fallback font; abbreviations and dates, which the site does not have.
  /^line-clamp$|^font-family: ui-monospace$|^text-decoration: dotted$|^unit lh$/,
  // Paper has the summaries of /privacy instead of its lists.
  /^:details-content in |^content-visibility$/,
  // Parts of one engine's fields.
  /^-webkit-tap-highlight-color$|^:-webkit-(inner-spin-button|search-cancel-button) in /,
];

const database = await setUpDatabase();

const builtFiles = (pattern: string) =>
  globSync(`build/client/assets/${pattern}`).map((path) => readFileSync(path, "utf8"));

test("no built script uses a feature that the oldest browsers lack without a feature test (docs/product.md §1.11)", () => {
  const scripts = builtFiles("*.js");
  expect(newerInScripts(scripts)).toEqual(Object.keys(askedFor).sort());
  const questions = Object.values(askedFor);
  expect(questions.filter((question) => !scripts.some((text) => question.test(text)))).toEqual([]);
});

test("no inline script of a page does either", async () => {
  const app = await createBuiltApp(database, {});
  for (const path of ["/", "/auth", "/nowhere"]) {
    const html = await (await app.get(path)).text();
    const scripts = [...html.matchAll(/<script(?![^>]*type=)[^>]*>([\s\S]*?)<\/script>/g)];
    expect(scripts.length, path).toBeGreaterThan(3);
    expect(newerInScripts(scripts.map(([, text = ""]) => text))).toEqual([]);
  }
});

test("no built style hides or breaks anything in the oldest browsers", () => {
  const [style, ...others] = builtFiles("*.css");
  expect(others).toEqual([]);
  const found = newerInStyles(style ?? "");
  expect(found.filter((finding) => !richer.some((known) => known.test(finding)))).toEqual([]);
  expect(richer.filter((known) => !found.some((finding) => known.test(finding)))).toEqual([]);
});
