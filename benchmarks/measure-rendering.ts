import { rm } from "node:fs/promises";
import path from "node:path";
import { build } from "vite";
import { apiHeaders } from "../dev/harness/programme.ts";
import { type ShowPage, showPage } from "../src/domain/show.ts";
import type { Figures } from "./goals.ts";
import { type Contender, cpuEach, type Effort, ratio, repeating, takeTurns } from "./load.ts";

/** Goal 4: the pages of the list, rendered in this process as the product does it and by React alone, in turn. */
export async function measureRendering(origin: string, pages: number, effort: Effort): Promise<Figures> {
  const { renderAsProduct, prepareReactAlone } = await buildRenderings();
  const lists: ShowPage[] = [];
  for (let page = 1; page <= pages; page++) {
    const response = await fetch(`${origin}/api/shows?page=${page}`, { headers: apiHeaders });
    lists.push(showPage.parse(await response.json()));
  }
  const own = rendering(lists.map((list) => () => renderAsProduct(list)));
  const alone = rendering(await Promise.all(lists.map(prepareReactAlone)));
  // V8 goes on to optimize React for thousands of pages.
  await takeTurns([own, alone], { ...effort, warmUp: 10 });
  const detail = `${cpuEach(own)}, React alone ${cpuEach(alone)}`;
  return { renderedPage: { value: ratio(own, alone, "cpu"), detail } };
}

async function buildRenderings(): Promise<typeof import("./rivals/renderings.ts")> {
  const entry = path.join(import.meta.dirname, "rivals/renderings.ts");
  // The product looks for a file of its build in the folder above.
  const outDir = path.join(import.meta.dirname, "../build/server/benchmark");
  await build({
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    build: { ssr: entry, outDir },
    ssr: { noExternal: true },
  });
  const renderings = await import(path.join(outDir, "renderings.js"));
  await rm(outDir, { recursive: true });
  return renderings;
}

function rendering(renderings: readonly (() => unknown)[]): Contender {
  let rendered = 0;
  async function work(): Promise<true> {
    await renderings[rendered++ % renderings.length]?.();
    return true;
  }
  return repeating(process.pid, 1, () => ({ work, close: () => {} }));
}
