import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const pageFiles = z.object({
  build: z.string(),
  script: z.string(),
  /** Modules that the script imports. */
  imports: z.array(z.string()),
  styles: z.array(z.string()),
});

export type PageFiles = z.infer<typeof pageFiles>;

/** URLs of the files that pages load. The build writes them beside its output. */
export function readPageFiles(): PageFiles {
  if (import.meta.env.DEV)
    return { build: "dev", script: "/src/app/entry.client.tsx", imports: [], styles: ["/src/app/app.css"] };
  const file = ["../page-files.json", "../../page-files.json"]
    .map((path) => join(import.meta.dirname, path))
    .find(existsSync);
  if (!file) throw new Error("The build lacks page-files.json: build again.");
  return pageFiles.parse(JSON.parse(readFileSync(file, "utf8")));
}
