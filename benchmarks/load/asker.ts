/*
 * Asks at a steady rate as often as it is told to, and tells how long the answers took. A process that does nothing else, so that little of
 * what it measures is its own: what is left of other measurements would be collected in the middle of these, in turns of 10 ms.
 */
import process from "node:process";
import { askSteadily, steadyLoad } from "./steady.ts";

process.on("message", async (message) => {
  const load = steadyLoad.parse(message);
  if (!globalThis.gc) throw new Error("Whoever asks runs with --expose-gc");
  globalThis.gc();
  process.send?.(await askSteadily(load));
});
