import { become, ensureBuilt, ensureInstalled, findRuntime } from "./setup.mjs";

ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
await become(runtime, "dev/start.ts");
