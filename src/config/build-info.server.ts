import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };

/** The build puts it beside what it builds, where this module is in a folder or in one of its folders. */
const file = ["../version.json", "../../version.json", "../../build/version.json"]
  .map((path) => join(import.meta.dirname, path))
  .find(existsSync);

/** Recorded by the build. The commit is null where it was made without git; it ends in `-dirty` after local changes. */
export const buildInfo: { version: string; commit: string | null } = file
  ? z
      .object({ version: z.string(), commit: z.string().nullable() })
      .parse(JSON.parse(readFileSync(file, "utf8")))
  : { version: packageJson.version, commit: null };
