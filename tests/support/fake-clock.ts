/**
 * A clock that a test can set. Load it with `NODE_OPTIONS=--import=<this file>`. The file `CLOCK_FILE` has its offset in
 * ms. Like setting a real clock, it does not change timers and `performance.now()`.
 */
import { readFileSync } from "node:fs";

const file = process.env.CLOCK_FILE;
const RealDate = Date;
const now = () => RealDate.now() + (file ? Number(readFileSync(file, "utf8")) : 0);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
