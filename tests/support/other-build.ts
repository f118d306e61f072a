import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));

const inputs = [
  "package.json",
  "package-lock.json",
  "public",
  "react-router.config.ts",
  "scripts",
  "src",
  "tsconfig.json",
  "vite.config.ts",
];

/** A build of the site in a folder of its own. */
export interface OtherBuild {
  /** The server to start. */
  program: string;
  /** The names of its hashed files. */
  files: string[];
  /** The content of a hashed file. */
  read(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** Builds the site from a copy of the sources whose styles, routes and shared modules differ. */
export async function buildOther(name: string): Promise<OtherBuild> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-build-"));
  for (const input of inputs) await cp(join(root, input), join(folder, input), { recursive: true });
  for (const file of await readdir(join(folder, "src/app/routes"))) {
    if (file.endsWith(".tsx")) await append(join(folder, "src/app/routes", file), script(name));
  }
  for (const file of ["src/app/root.tsx", "src/app/entry.client.tsx", "src/ui/plural.ts"])
    await append(join(folder, file), script(name));
  await append(join(folder, "src/app/app.css"), `\n.build-${name} { color: red }\n`);
  return build(folder);
}

async function build(folder: string): Promise<OtherBuild> {
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await promisify(execFile)(process.execPath, ["scripts/build.ts"], { cwd: folder });
  return readBuild(folder, () => rm(folder, { recursive: true }));
}

/**
 * Builds the version before this one, as git has it: the last release, or what was there before the newest
 * migration. Null, with a message on the console, where git does not have it (an archive, a shallow clone).
 */
export async function buildPreviousVersion(): Promise<OtherBuild | null> {
  const archive = await findPreviousVersion()
    .then((commit) => git("archive", commit))
    .catch(() => null);
  if (archive === null) {
    console.log(
      "Skipped: the previous version on the new schema, because git does not have it. Use a full clone.",
    );
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), "front-row-build-"));
  await writeFile(join(folder, "archive.tar"), archive, "latin1");
  await promisify(execFile)("tar", ["-xf", "archive.tar"], { cwd: folder });
  return build(folder);
}

async function findPreviousVersion(): Promise<string> {
  const release = await git("describe", "--tags", "--abbrev=0", "HEAD^").catch(() => "");
  if (release) return release.trim();
  const migrations = "src/database/migrations";
  const newest = (await readdir(join(root, migrations)))
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .at(-1);
  const added = await git("log", "--diff-filter=A", "--format=%H", "-1", "--", `${migrations}/${newest}`);
  return `${added.trim()}^`;
}

async function git(...args: string[]): Promise<string> {
  const options = { cwd: root, encoding: "latin1", maxBuffer: 500_000_000 } as const;
  return (await promisify(execFile)("git", args, options)).stdout;
}

/** The build that the other tests start. */
export function ownBuild(): Promise<OtherBuild> {
  return readBuild(root, async () => {});
}

async function readBuild(folder: string, remove: () => Promise<void>): Promise<OtherBuild> {
  const assets = join(folder, "build/client/assets");
  return {
    program: join(folder, "build/server/main.js"),
    files: (await readdir(assets)).filter((name) => /\.(js|css)$/.test(name)),
    read: (name) => readFile(join(assets, name), "utf8"),
    remove,
  };
}

const script = (name: string) => `\nObject.assign(globalThis, { otherBuild: "${name}" });\n`;

async function append(file: string, text: string): Promise<void> {
  await writeFile(file, (await readFile(file, "utf8")) + text);
}
