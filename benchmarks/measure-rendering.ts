import { rm } from "node:fs/promises";
import path from "node:path";
import { build } from "vite";
import { apiHeaders } from "../dev/harness/programme.ts";
import { type ShowPage, showPage } from "../src/domain/show.ts";
import { type Figures, significant } from "./goals.ts";
import { median, medianRatio } from "./load.ts";

const ROUNDS = 5;

/** Goal 4: each page of the list, rendered in this process as the product does it and by React alone, in turn. */
export async function measureRendering(origin: string, pages: number): Promise<Figures> {
  const { renderAsProduct, prepareReactAlone } = await buildRenderings();
  const lists: ShowPage[] = [];
  for (let page = 1; page <= pages; page++) {
    const response = await fetch(`${origin}/api/shows?page=${page}`, { headers: apiHeaders });
    lists.push(showPage.parse(await response.json()));
  }
  const alone = await Promise.all(lists.map(prepareReactAlone));
  const cpu = { own: [] as number[], alone: [] as number[] };
  // V8 goes on to optimize React for thousands of pages.
  for (let round = -ROUNDS; round < ROUNDS; round++) {
    const own = await cpuOfEach(lists.map((list) => () => renderAsProduct(list)));
    const other = await cpuOfEach(alone);
    if (round < 0) continue;
    cpu.own.push(own);
    cpu.alone.push(other);
  }
  const each = (values: number[]) => `${significant(median(values))} ms`;
  return {
    renderedPage: {
      value: medianRatio(cpu.own, cpu.alone),
      detail: `${each(cpu.own)}, React alone ${each(cpu.alone)}`,
    },
  };
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

/** CPU time of one, in ms. */
async function cpuOfEach(renderings: readonly (() => unknown)[]): Promise<number> {
  const before = process.cpuUsage();
  for (const render of renderings) await render();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / renderings.length;
}
