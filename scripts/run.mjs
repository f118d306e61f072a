// `node scripts/run.mjs [option] <file> [arguments]` runs a program of the project, from a bare clone too. It
// installs what is missing. With --built it also builds; with --installed it does neither, because a site in
// production may lack the packages for development.
import process from "node:process";
import { ensureBuilt, ensureInstalled, findRuntime, requireInstalled, runInPlace } from "./setup.mjs";

const [, , ...words] = process.argv;
const option = words[0]?.startsWith("--") ? words.shift() : "";
const [file, ...args] = words;

if (option === "--installed") requireInstalled(file);
else ensureInstalled();
const runtime = findRuntime();
if (option === "--built") ensureBuilt(runtime);
await runInPlace(runtime, file, args);
