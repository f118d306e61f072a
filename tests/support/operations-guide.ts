import { readFileSync } from "node:fs";

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
const contents = read("operations.md");

/** docs/operations.md and its parts, in order. */
export const operationsGuide = [
  contents,
  ...Array.from(contents.matchAll(/\]\((operations\/[^)]+)\)/g), ([, page = ""]) => read(page)),
].join("\n");
