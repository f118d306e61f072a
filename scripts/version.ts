import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { root } from "./setup.mjs";

/** The commit is null without git. */
export function findVersion(): { version: string; commit: string | null } {
  // A folder without git may lie in a clone of something else.
  const describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  const isClone = existsSync(join(root, ".git"));
  const git = isClone ? spawnSync("git", describe, { cwd: root, encoding: "utf8" }) : null;
  return { version: packageJson.version, commit: git?.stdout?.trim() || null };
}
