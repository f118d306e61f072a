// `npm run test:cluster`: tests the site with what stands around it in production, from a bare clone on
// Debian. The programs are installed by apt. Arguments are vitest's, such as the path of one file.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { ensureBuilt, ensureInstalled, fail, findRuntime, root, run } from "./setup.mjs";

/** Debian's packages. The site's own tests use their files, not their services. */
const packages = [
  "caddy",
  "etcd-server",
  "haproxy",
  "iproute2",
  "nginx",
  "patroni",
  "pgbouncer",
  "postgresql",
  "python3-etcd",
  "varnish",
];

if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
  fail(
    "npm run test:cluster needs root on Debian, where it installs PostgreSQL, Patroni, HAProxy and others.",
  );
ensurePackages();
ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
process.exitCode = await run(runtime, [
  `${root}/node_modules/.bin/vitest`,
  "run",
  "--config",
  "vitest.cluster.config.ts",
  ...process.argv.slice(2),
]);

/** Installs the packages that are missing. */
function ensurePackages() {
  const isMissing = (name) => spawnSync("dpkg", ["--status", name]).status !== 0;
  const missing = packages.filter(isMissing);
  if (missing.length === 0) return;
  console.log(`Installing ${missing.join(", ")} …`);
  // At this run level Debian does not start the services.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const apt = (...args) => spawnSync("apt-get", args, { stdio: "inherit", env }).status;
  apt("update");
  if (apt("install", "--yes", "--no-install-recommends", ...missing) !== 0)
    fail("apt-get could not install them: see its message above.");
}
