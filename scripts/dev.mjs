import { ensureInstalled, findRuntime, run } from "./setup.mjs";

ensureInstalled();
process.exitCode = await run(findRuntime(), ["dev/dev.ts"]);
