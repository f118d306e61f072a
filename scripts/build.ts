import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { listFiles, readManifest } from "./list-files.ts";
import { findVersion, hashBuildInputs, isBuilt, lockFolder, refuseUnusableFolder, root } from "./setup.mjs";

const compressible = "**/*.{js,css,svg,json,txt,webmanifest}";

/** Also writes compressed copies of browser files, and records the hash of the inputs. */
async function build(): Promise<void> {
  refuseUnusableFolder();
  const lock = await lockFolder();
  if (!process.argv.includes("--if-stale") || !isBuilt()) buildAll();
  lock?.close();
}

function buildAll(): void {
  const vite = join(root, "node_modules/.bin/vite");
  const inputs = hashBuildInputs();
  rmSync(join(root, "build"), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [vite, "build", "--app"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (status !== 0) process.exit(1);
  copySql();
  listFiles(join(root, "build"), readManifest(join(root, "build/client/.vite")));
  compressFiles(join(root, "build/client"));
  writeFileSync(join(root, "build/version.json"), JSON.stringify(findVersion()));
  writeFileSync(join(root, "build/inputs.sha256"), inputs);
}

/** The built server reads no file of src/. */
function copySql(): void {
  const from = join(root, "src/database");
  for (const name of globSync("{migrations,functions}/*.sql", { cwd: from }))
    cpSync(join(from, name), join(root, "build/server", name));
}

function compressFiles(folder: string): void {
  for (const name of globSync(compressible, { cwd: folder })) {
    const path = join(folder, name);
    const content = readFileSync(path);
    const hint = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: hint }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

await build();
