/**
 * A clock that a test can set: `NODE_OPTIONS=--import=<this file>` and, in `CLOCK_FILE`, how many ms it is to be ahead. As when a real
 * clock is set, timers and `performance.now()` go on undisturbed.
 */
import { readFileSync } from "node:fs";

const file = process.env.CLOCK_FILE;
const RealDate = Date;
const now = () => RealDate.now() + (file ? Number(readFileSync(file, "utf8")) : 0);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, words, asked) => Reflect.construct(target, words.length === 0 ? [now()] : words, asked),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
