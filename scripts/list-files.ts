import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** URLs of what every page loads. */
interface LoadedFiles {
  script: string;
  imports: string[];
  styles: string[];
}

/**
 * For pages: `page-files.json`, with the name of this build. For browsers that save the files of a build (docs/product.md
 * §14.2): `files-<build>.json` beside them, with hashes.
 */
export function listFiles(folder: string, loaded: LoadedFiles): void {
  const client = join(folder, "client");
  const names = globSync("assets/*.{js,css}", { cwd: client }).sort();
  const hashes = names.map((name) => [`/${name}`, `sha256-${hashOf(readFileSync(join(client, name)))}`]);
  const list = JSON.stringify(Object.fromEntries(hashes));
  const build = createHash("sha256").update(list).digest("hex").slice(0, 8);
  writeFileSync(join(client, `assets/files-${build}.json`), list);
  writeFileSync(join(folder, "page-files.json"), JSON.stringify({ build, ...loaded }));
}

const hashOf = (content: Buffer) => createHash("sha256").update(content).digest("base64");

/** Reads and removes Vite's manifest, which browsers do not need. */
export function readManifest(folder: string): LoadedFiles {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  rmSync(folder, { recursive: true });
  const chunks = [manifest["src/app/entry.client.tsx"]];
  for (const { imports = [] } of chunks)
    for (const key of imports) if (!chunks.includes(manifest[key])) chunks.push(manifest[key]);
  const [script = "", ...imports] = chunks.map(({ file }) => `/${file}`);
  return { script, imports, styles: chunks.flatMap(({ css = [] }) => css.map((name: string) => `/${name}`)) };
}
