import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

export const canInstallPackages = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

/** Needs root. Does not start their services. */
export function ensurePackages(packages) {
  const isMissing = (name) => spawnSync("dpkg", ["--status", name]).status !== 0;
  const missing = packages.filter(isMissing);
  if (missing.length === 0) return;
  console.log(`Installing ${missing.join(", ")} …`);
  // At this run level Debian does not start the services.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const apt = (...args) => spawnSync("apt-get", args, { stdio: "inherit", env }).status;
  apt("update");
  if (apt("install", "--yes", "--no-install-recommends", ...missing) === 0) return;
  console.error("apt-get could not install them: see its message above.");
  process.exit(1);
}
