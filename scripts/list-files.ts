import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** For browsers that save the files of this build (docs/product.md §14.2): `files-<build>.json` beside them. */
export function listFiles(client: string): void {
  const names = globSync("assets/*.{js,css}", { cwd: client }).sort();
  const build = /manifest-([\w-]+)\.js/.exec(names.join(" "))?.[1];
  if (!build) throw new Error("The build has no manifest");
  const hashes = names.map((name) => [`/${name}`, `sha256-${hashOf(readFileSync(join(client, name)))}`]);
  writeFileSync(join(client, `assets/files-${build}.json`), JSON.stringify(Object.fromEntries(hashes)));
}

const hashOf = (content: Buffer) => createHash("sha256").update(content).digest("base64");
