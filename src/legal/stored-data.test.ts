import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cacheNames, localStorageKeys, personalTables, sessionStorageKeys } from "./stored-data.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

const namesOf = (items: readonly { names: readonly string[] }[]) => items.flatMap(({ names }) => names);
const keys = namesOf([...localStorageKeys, ...sessionStorageKeys, ...cacheNames]);

const browserSources = globSync("src/**/*.{ts,tsx}", {
  cwd: root,
  exclude: (name) => /\.server\.ts$|\.test\.ts$|stored-data\.ts$/.test(name),
}).map((file) => ({ file, text: read(file) }));

test("the privacy page names exactly the keys that the code writes, besides those of libraries", () => {
  const written = browserSources.flatMap(({ text }) =>
    [...text.matchAll(/["'`](front-row-[a-z-]+)(?![a-z-]|\.json)/g)].map(([, key]) => key),
  );
  const ofLibraries = /-code-verifier$|^react-router-|^lswt-/;
  const named = keys.filter((key) => !ofLibraries.test(key)).map((key) => key.replace(" …", ""));
  expect([...new Set(written)].sort()).toEqual(named.sort());
});

test("the code writes no cookie, and only the saved list uses Cache Storage", () => {
  const others = /\bdocument\.cookie\b|\bcookieStore\b|\bindexedDB\b/;
  const saving = /\bcaches\.|serviceWorker/;
  expect(browserSources.length).toBeGreaterThan(50);
  const using = (storage: RegExp) =>
    browserSources.filter(({ text }) => storage.test(text)).map(({ file }) => file);
  expect(using(others)).toEqual([]);
  expect(using(saving).filter((file) => !file.startsWith("src/offline/"))).toEqual([]);
});

test("the operator's page names the same tables and keys", () => {
  const page = read("docs/privacy.md");
  const names = [...namesOf(personalTables), ...keys];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
