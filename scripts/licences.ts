// `npm run licences`: lists packages by licence. Fails if a package for production has another licence than those allowed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "./setup.mjs";

/** Permissive: they only require that their text stays with the package. OFL-1.1 is for fonts. */
const allowed = [
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "Python-2.0",
  "OFL-1.1",
];

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string(),
      license: z.string().default("unknown"),
      dev: z.boolean().default(false),
    }),
  ),
});

const file = process.argv[2] ?? join(root, "package-lock.json");
const { packages } = lockfile.parse(JSON.parse(readFileSync(file, "utf8")));
const locked = Object.entries(packages)
  .filter(([path]) => path !== "")
  .map(([path, { name, version, ...rest }]) => ({ name: `${name ?? nameIn(path)} ${version}`, ...rest }));

for (const [title, dev] of [
  ["What runs", false],
  ["What builds and tests it", true],
] as const) {
  console.log(`${title}:`);
  const byLicence = Object.groupBy(
    locked.filter((one) => one.dev === dev),
    ({ license }) => license,
  );
  for (const [licence, ones = []] of Object.entries(byLicence).sort()) {
    console.log(`  ${licence}: ${ones.map(({ name }) => name).join(", ")}`);
  }
}

function nameIn(path: string): string {
  return path.replace(/^.*node_modules\//, "");
}

const refused = locked.filter(({ dev, license }) => !dev && !allowed.includes(license));
for (const { name, license } of refused)
  console.error(`${name} runs in production under a licence not allowed: ${license}`);
process.exitCode = refused.length > 0 ? 1 : 0;
