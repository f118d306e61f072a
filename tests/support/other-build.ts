import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { listFiles } from "../../scripts/list-files.ts";
import { YEAR } from "../../src/domain/programme.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A build of the site in its own folder. */
export type OtherBuild = Awaited<ReturnType<typeof readBuild>>;

/** `home-DmUcfyAE.js`, for example. Libraries stay the same when the site changes. */
const hashedName = /^(?!libraries|rolldown-runtime).*-([\w-]{8})\.(?:js|css)$/;

/** A copy of this build with other names and contents of hashed files. */
export async function createOtherBuild(name: string): Promise<OtherBuild> {
  const folder = await copyBuild();
  const assets = join(folder, "build/client/assets");
  const files = (await readdir(assets)).filter((file) => hashedName.test(file));
  const rename = (text: string) =>
    files
      .flatMap((file) => hashedName.exec(file)?.[1] ?? [])
      .reduce((renamed, hash) => renamed.replaceAll(hash, hashOf(name + hash)), text);
  const server = join(folder, "build/server");
  for (const file of await readdir(server, { recursive: true }))
    if (file.endsWith(".js"))
      await writeFile(join(server, file), rename(await readFile(join(server, file), "utf8")));
  for (const file of files) {
    const content = rename(await readFile(join(assets, file), "utf8")) + mark(file, name);
    for (const suffix of ["", ".br", ".gz"]) await rm(join(assets, file + suffix), { force: true });
    await writeCompressed(join(assets, rename(file)), content);
  }
  for (const file of await readdir(assets)) if (file.startsWith("files-")) await rm(join(assets, file));
  const { build: _, ...loaded } = JSON.parse(
    rename(await readFile(join(folder, "build/page-files.json"), "utf8")),
  );
  listFiles(join(folder, "build"), loaded);
  return readBuild(folder, () => rm(folder, { recursive: true }));
}

/** This build with another `YEAR`. In some places, the bundler has replaced the name by the number. */
export async function createBuildOfYear(year: number): Promise<OtherBuild> {
  const folder = await copyBuild();
  const number = new RegExp(`\\b${YEAR}\\b`, "g");
  for (const file of await readdir(join(folder, "build/server"), { recursive: true })) {
    if (!file.endsWith(".js")) continue;
    const path = join(folder, "build/server", file);
    await writeFile(path, (await readFile(path, "utf8")).replace(number, String(year)));
  }
  return readBuild(folder, () => rm(folder, { recursive: true }));
}

async function copyBuild(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-build-"));
  for (const path of ["package.json", "build"])
    await cp(join(root, path), join(folder, path), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);

const mark = (file: string, build: string) =>
  file.endsWith(".css")
    ? `\n.build-${build} { color: red }\n`
    : `\nObject.assign(globalThis, { otherBuild: "${build}" });\n`;

async function writeCompressed(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await writeFile(`${path}.gz`, gzipSync(content));
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  await writeFile(`${path}.br`, brotliCompressSync(content, fast));
}

export function ownBuild(): Promise<OtherBuild> {
  return readBuild(root, async () => {});
}

async function readBuild(folder: string, remove: () => Promise<void>) {
  const assets = join(folder, "build/client/assets");
  return {
    program: join(folder, "build/server/main.js"),
    files: (await readdir(assets)).filter((name) => /\.(js|css|json)$/.test(name)),
    read: (name: string) => readFile(join(assets, name), "utf8"),
    remove,
  };
}
