import { become, ensureInstalled, findRuntime } from "./setup.mjs";

ensureInstalled();
await become(findRuntime(), "dev/dev.ts");
