/**
 * The built server of `npm start`: as in production, but without an operator and with the fake providers on its
 * port. Waits for the local environment, which its parent sends.
 */
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { listenForStop } from "../src/server/stop-requests.server.ts";
import { putFakesBehind } from "./fake-identity-providers/behind-site.ts";
import type { LocalEnvironment } from "./local-environment.ts";

const stopping = listenForStop();
const environment = once(process, "message", { signal: stopping }).catch(() => process.exit());
const built = new URL("../build/", import.meta.url);
const { runSite }: typeof import("../src/server/run-site.server.ts") = await import(
  new URL("server/run-site.js", built).href
);
const [message] = await environment;
const { variables, fakes }: Pick<LocalEnvironment, "variables" | "fakes"> = message;
Object.assign(process.env, variables);
await runSite({
  stopping,
  clientFiles: fileURLToPath(new URL("client", built)),
  mayBeDemo: true,
  ...(fakes && { wrapApp: (app) => putFakesBehind(app, fakes) }),
});
