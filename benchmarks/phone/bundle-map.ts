import { SourceMap } from "node:module";
import { brotliCompressSync } from "node:zlib";
import { createBuilder, type Plugin, type Rolldown } from "vite";
import { root } from "../../scripts/setup.mjs";

/** What a part of the browser's scripts costs, in bytes. */
export interface BundlePart {
  name: string;
  minified: number;
  /** Its share of its files as they are sent: what it takes compressed by itself, brought down to what all do together. */
  served: number;
}

/** Files that nobody loads before signing in, or never with the first page. */
const loadedLater = /^(auth-js-client|not-found)-|auth\/page/;

/**
 * The scripts that the first page loads, by what is in them. The site is built once more, in memory, with source maps: they
 * say where each character of a file comes from.
 */
export async function mapBundle(): Promise<BundlePart[]> {
  const parts = new Map<string, BundlePart>();
  for (const chunk of await buildChunks()) {
    const byPart = codeByPart(chunk);
    const alone = new Map([...byPart].map(([name, code]) => [name, compressedSize(code)]));
    const together = compressedSize(chunk.code) / sum(alone.values());
    for (const [name, code] of byPart) {
      const part = parts.get(name) ?? { name, minified: 0, served: 0 };
      part.minified += code.length;
      part.served += (alone.get(name) ?? 0) * together;
      parts.set(name, part);
    }
  }
  return [...parts.values()].sort((a, b) => b.served - a.served);
}

async function buildChunks(): Promise<Rolldown.OutputChunk[]> {
  const withMaps: Plugin = {
    name: "with-source-maps",
    configEnvironment: () => ({ build: { write: false, sourcemap: "hidden" } }),
  };
  const builder = await createBuilder({ root, logLevel: "silent", plugins: [withMaps] }, null);
  const client = builder.environments.client;
  if (!client) throw new Error("Vite knows no build for the browser");
  const built = await builder.build(client);
  if (!("output" in built)) throw new Error("Vite built something else than one bundle");
  return built.output.filter((file) => file.type === "chunk").filter((chunk) => !isLoadedLater(chunk));
}

function isLoadedLater({ fileName, facadeModuleId }: Rolldown.OutputChunk): boolean {
  return loadedLater.test(fileName.replace("assets/", "")) || loadedLater.test(facadeModuleId ?? "");
}

/** The code of a file, divided by the part that each character comes from. What has no map is the bundler's own. */
function codeByPart({ code, map }: Rolldown.OutputChunk): Map<string, string> {
  const sources = map && new SourceMap({ ...map, file: map.file ?? "", version: 3, sourceRoot: "" });
  const byPart = new Map<string, string>();
  for (const [line, text] of code.split("\n").entries()) {
    for (let column = 0; column < text.length; column++) {
      const entry = sources?.findEntry(line, column);
      const name = partOf(entry && "originalSource" in entry ? entry.originalSource : "");
      byPart.set(name, (byPart.get(name) ?? "") + text[column]);
    }
  }
  return byPart;
}

/** A package's name, a folder of ours, or what the bundler adds. */
function partOf(source: string): string {
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)(.*)/.exec(source);
  if (library) return libraryPart(library[1] ?? "", library[2] ?? "");
  const folder = /(?:^|\/)src\/(?:(\w+)\/)?/.exec(source);
  return folder ? `src/${folder[1] ?? ""}` : "bundler";
}

/** React Router is worth a closer look: data from the server comes in a format of its own. */
function libraryPart(name: string, path: string): string {
  return name === "react-router" && path.includes("/vendor/") ? "react-router: turbo-stream" : name;
}

function compressedSize(code: string): number {
  return brotliCompressSync(code).length;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
