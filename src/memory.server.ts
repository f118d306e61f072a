import { setFlagsFromString } from "node:v8";

/**
 * From now on V8 does not collect garbage only to give memory back (decision 73). Otherwise it does when it has not looked at all memory for a hundred
 * seconds: nothing else runs for 30 ms then, and for a minute after that readers wait longer, while it takes memory again and compiles what it threw away.
 */
export function keepMemory(): void {
  // Node refuses it in NODE_OPTIONS, and the server is started in several ways. V8 reads the number whenever it is about to.
  setFlagsFromString("--memory-reducer-gc-count=0");
}
