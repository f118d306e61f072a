import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };

/** The build writes it beside its output, which has this module at different depths. */
const file = ["../version.json", "../../version.json", "../../build/version.json"]
  .map((path) => join(import.meta.dirname, path))
  .find(existsSync);

/** `commit` is null for a build without git, and ends in `-dirty` after local changes. */
export const buildInfo: { version: string; commit: string | null } = file
  ? z
      .object({ version: z.string(), commit: z.string().nullable() })
      .parse(JSON.parse(readFileSync(file, "utf8")))
  : { version: packageJson.version, commit: null };
