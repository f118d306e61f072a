import { ensureBuilt, ensureInstalled, findRuntime, run } from "./setup.mjs";

ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
process.exitCode = await run(runtime, ["dev/start.ts"]);
