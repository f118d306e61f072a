import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";
import { recordRecentRefresh, startSite } from "../support/site.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

/** The metrics that a text names. The series of a histogram count as the histogram. */
function namedIn(text: string): string[] {
  const names = text.match(/\b(front_row|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, "")))].sort();
}

test("dashboard, alerts and operations.md name existing metrics, operations.md all of our own", async () => {
  const database = await createTestDatabase();
  await recordRecentRefresh(database.db);
  const site = await startSite({ DATABASE_URL: database.url });
  const text = await (await fetch(`${site.origin}/metrics`)).text();
  await site.stop();
  await database.close();
  const existing = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  for (const file of ["deploy/grafana-dashboard.json", "deploy/alerts.yml", "docs/operations.md"]) {
    const named = namedIn(read(file));
    expect(named, file).not.toEqual([]);
    expect(named.filter((name) => !existing.includes(name)), file).toEqual([]); // biome-ignore format: one statement
  }
  const ours = existing.filter((name) => name?.startsWith("front_row_"));
  expect(namedIn(read("docs/operations.md"))).toEqual(expect.arrayContaining(ours));
});

test("operations.md names every alert", () => {
  const alerts = [...read("deploy/alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const page = read("docs/operations.md");
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** The messages that the server logs: of each, its longest part without placeholders. */
function logLines(): string[] {
  const sources = globSync("src/**/*.server.ts", { cwd: root }).map((file) => read(file));
  const calls = sources.flatMap((text) => [
    ...text.matchAll(/\blog\.(?:info|warn|error)\([^"`;]*(["`])(.+?)\1/g),
  ]);
  return calls.map(([, , line = ""]) =>
    line.split(/\$\{.*?\}/).reduce((a, b) => (b.length > a.length ? b : a)),
  );
}

test("operations.md explains every log line", () => {
  const lines = logLines();
  const page = read("docs/operations.md");
  expect(lines.length).toBeGreaterThan(25);
  expect(lines.filter((line) => !page.includes(line.trim()))).toEqual([]);
});
