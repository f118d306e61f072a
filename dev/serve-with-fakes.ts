/*
 * The built server as production runs it, with the fake providers behind its port: what `npm start` runs if
 * it fakes them. Arguments: the URLs of the fakes of Google and GitHub.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { putFakesBehind } from "./fake-identity-providers/behind-site.ts";

const built = new URL("../build/", import.meta.url);
const [google = "", github = ""] = process.argv.slice(2);
const { runSite }: typeof import("../src/server/run-site.server.ts") = await import(
  new URL("server/run-site.js", built).href
);
await runSite({
  clientFiles: fileURLToPath(new URL("client", built)),
  wrapApp: (app) => putFakesBehind(app, { google, github }),
});
