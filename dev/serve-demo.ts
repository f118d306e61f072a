/**
 * The built server as `npm start` runs it: as in production, but without an operator, and with the fake
 * providers behind its port. Arguments: the URLs of the fakes of Google and GitHub.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { listenForStop } from "../src/server/stop-requests.server.ts";
import { putFakesBehind } from "./fake-identity-providers/behind-site.ts";

const stopping = listenForStop();
const built = new URL("../build/", import.meta.url);
const [google, github] = process.argv.slice(2);
const { runSite }: typeof import("../src/server/run-site.server.ts") = await import(
  new URL("server/run-site.js", built).href
);
await runSite({
  stopping,
  clientFiles: fileURLToPath(new URL("client", built)),
  mayBeDemo: true,
  ...(google && github && { wrapApp: (app) => putFakesBehind(app, { google, github }) }),
});
