// `node scripts/run.mjs [--built] <file> [arguments]` runs a program of the project. It also works in a bare clone: it
// installs missing packages, and with --built it updates a stale build.
import process from "node:process";
import { ensureBuilt, ensureInstalled, findRuntime, runInPlace } from "./setup.mjs";

const [, , ...words] = process.argv;
const needsBuild = words[0] === "--built";
const [file, ...args] = needsBuild ? words.slice(1) : words;

await ensureInstalled();
const runtime = findRuntime();
if (needsBuild) ensureBuilt(runtime);
await runInPlace(runtime, file, args);
