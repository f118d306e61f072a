// `node scripts/run.mjs [--built] <file> [arguments]` runs a program of the project, from a bare clone too: it installs
// what is missing, and with --built it builds what is stale.
import process from "node:process";
import { ensureBuilt, ensureInstalled, findRuntime, runInPlace } from "./setup.mjs";

const [, , ...words] = process.argv;
const needsBuild = words[0] === "--built";
const [file, ...args] = needsBuild ? words.slice(1) : words;

ensureInstalled();
const runtime = findRuntime();
if (needsBuild) ensureBuilt(runtime);
await runInPlace(runtime, file, args);
