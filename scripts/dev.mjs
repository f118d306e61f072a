import { ensureInstalled, findRuntime, runInPlace } from "./setup.mjs";

ensureInstalled();
await runInPlace(findRuntime(), "dev/dev.ts");
