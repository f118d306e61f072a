import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";
import { openSite } from "../support/site.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

/** The metrics that a text names. The series of a histogram count as the histogram. */
function namedIn(text: string): string[] {
  const names = text.match(/\b(front_row|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, "")))].sort();
}

test("dashboard, alerts and operations.md name existing metrics, operations.md all of our own", async () => {
  const database = await createTestDatabase();
  const site = await openSite({ DATABASE_URL: database.url });
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

/** The shell commands of operations.md: its first block after some text. */
function commandsAfter(text: string): string {
  return /```sh\n([^`]*)```/.exec(read("docs/operations.md").split(text)[1] ?? "")?.[1] ?? "";
}

test("under umask 077, the commands of operations.md leave code that the site's user can read", () => {
  const folder = mkdtempSync(join(tmpdir(), "front-row-umask-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sh = (script: string) => execFileSync("bash", ["-euc", `umask 077\n${script}`], { cwd: folder });
  // A small project in place of ours, for the same commands.
  sh("git init -q origin");
  const project = { name: "small", version: "1.0.0" };
  const build = { scripts: { build: "mkdir -p build && echo built > build/main.js" } };
  writeFileSync(join(folder, "origin/package.json"), JSON.stringify({ ...project, ...build }));
  const lock = { ...project, lockfileVersion: 3, packages: { "": project } };
  writeFileSync(join(folder, "origin/package-lock.json"), JSON.stringify(lock));
  sh("cd origin && git add . && git -c user.name=a -c user.email=a@a.example commit -qm first");
  const folders = commandsAfter("**1. Programs").match(/^umask.*$|^.* \/opt\/front-row .*$/gm) ?? [];
  for (const commands of [
    folders.join("\n"),
    commandsAfter("**2. The code**"),
    commandsAfter("\n## Upgrade"),
  ]) {
    const here = commands
      .replaceAll(/\/(opt|etc)\/front-row/g, `${folder}/$1`)
      .replaceAll("<address>", `${folder}/origin`);
    sh(`sudo() { "$@"; }\n${here.replace(/^.*diff --stat.*$/m, "")}`);
  }
  for (const path of ["opt", "opt/first/build", "opt/second", "opt/second/build/main.js", "etc"]) {
    const mode = statSync(join(folder, path)).mode & 0o777;
    expect([path, mode.toString(8)]).toEqual([path, path.endsWith(".js") ? "644" : "755"]);
  }
});

test("the container's user is a number, and the clone's modes do not matter", () => {
  const dockerfile = read("Dockerfile");
  expect(dockerfile).toMatch(/^USER [1-9]\d*(:\d+)?$/m);
  expect(dockerfile).toContain("chmod -R a+rX .");
});

test("git checks texts out with the ends of lines that shells and hashes expect", () => {
  expect(read(".gitattributes")).toBe("* text=auto eol=lf\n");
});
