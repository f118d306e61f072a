import { fileURLToPath } from "node:url";
import { runSite } from "./server/run-site.server.ts";

// `npm run serve`. Only runs built, as build/server/main.js: the build puts the browser's files beside it.
await runSite({ clientFiles: fileURLToPath(new URL("../client", import.meta.url)) });
