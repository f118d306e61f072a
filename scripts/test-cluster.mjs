// `npm run test:cluster`: the site with what stands around it in production, on Debian. Arguments are
// vitest's.
import process from "node:process";
import { canInstallPackages, ensurePackages } from "./debian-packages.mjs";
import { ensureBuilt, ensureInstalled, fail, findRuntime, root, run } from "./setup.mjs";

/** The tests use their files, not their services. */
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
];

if (!canInstallPackages)
  fail("npm run test:cluster needs root on Debian, where it installs PostgreSQL, Patroni, Caddy and others.");
await ensureInstalled();
ensurePackages(packages);
const runtime = findRuntime();
ensureBuilt(runtime);
process.exitCode = await run(runtime, [
  `${root}/node_modules/.bin/vitest`,
  "run",
  "--project=cluster",
  ...process.argv.slice(2),
]);
