import { setFlagsFromString } from "node:v8";

/**
 * From now on V8 does not collect garbage only to give memory back (decision 73). Otherwise it does when it has not looked at all memory for a hundred
 * seconds: nothing else runs for 30 ms then, and for a minute after that readers wait longer, while it takes memory again and compiles what it threw away.
 */
export function keepMemory(): void {
  // Node refuses it in NODE_OPTIONS, and the server is started in several ways. V8 reads the number whenever it is about to.
  setFlagsFromString("--memory-reducer-gc-count=0");
}

/** How much of the room for young objects is taken when V8 begins to collect garbage there, in percent. `USUAL` is V8's own number. */
const EARLY = 20;
const USUAL = 80;

/**
 * Does work that makes much that stays, during which V8 collects young garbage early (decision 74): what stays is moved out of the room for young objects piece
 * by piece, and neither fills it nor is looked at all at once. Answers what the work does. One such work at a time.
 */
export async function collectingEarly<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString(`--minor-gc-task-trigger=${EARLY}`);
  try {
    return await work();
  } finally {
    setFlagsFromString(`--minor-gc-task-trigger=${USUAL}`);
  }
}
