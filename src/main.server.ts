import { fileURLToPath } from "node:url";
import { listenForStop } from "./server/stop-requests.server.ts";

// `npm run serve`. Only runs built, as build/server/main.js: the build puts the browser's files beside it.
// A signal that comes while the rest is loaded must not be lost.
const stopping = listenForStop();
const { runSite } = await import("./server/run-site.server.ts");
await runSite({ stopping, clientFiles: fileURLToPath(new URL("../client", import.meta.url)) });
