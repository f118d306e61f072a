import { ensureBuilt, ensureInstalled, findRuntime, runInPlace } from "./setup.mjs";

ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
await runInPlace(runtime, "dev/start.ts");
