import { setFlagsFromString } from "node:v8";

/**
 * V8 gives none of this process's memory back from now on. Otherwise it does where it has not looked at all memory for a hundred seconds: nothing
 * else runs for 30 ms then, and in the minute after that it makes room and compiles again, in ever larger pieces, while people read.
 */
export function keepMemory(): void {
  // Node refuses it in NODE_OPTIONS, and the server is started in several ways. V8 reads the number whenever it is about to.
  setFlagsFromString("--memory-reducer-gc-count=0");
}
