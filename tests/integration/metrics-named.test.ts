import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed, startSite } from "../support/site.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

/** The metrics that a text names; what a histogram is written as counts as the histogram. */
function namedIn(text: string): string[] {
  const names = text.match(/\b(front_row|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, "")))].sort();
}

test("dashboard, alerts and the operator's page name metrics that there are, and the page every one of our own", async () => {
  const database = await createTestDatabase();
  await pretendRefreshed(database.db);
  const site = await startSite({ DATABASE_URL: database.url });
  const text = await (await fetch(`${site.origin}/metrics`)).text();
  await site.end();
  await database.close();
  const existing = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  for (const file of ["deploy/grafana-dashboard.json", "deploy/alerts.yml", "docs/operations.md"]) {
    const named = namedIn(read(file));
    expect(named, file).not.toEqual([]);
    expect(named.filter((name) => !existing.includes(name)), file).toEqual([]); // biome-ignore format: one thought
  }
  const ours = existing.filter((name) => name?.startsWith("front_row_"));
  expect(namedIn(read("docs/operations.md"))).toEqual(expect.arrayContaining(ours));
});

test("what to do about each alert is on the operator's page", () => {
  const alerts = [...read("deploy/alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const page = read("docs/operations.md");
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
