import { setTimeout as wait } from "node:timers/promises";
import { residentMemory } from "./processes.ts";

/** Resident memory of the serving process, in MB. */
export interface Memory {
  /** Started, one page answered, then left alone. */
  atRest: number;
  afterLoad: number;
  highest: number;
}

/** Before the load; the other two figures are asked for after it. */
export async function watchMemory(server: number): Promise<() => Memory> {
  await wait(2_000);
  const atRest = residentMemory(server, "now");
  return () => ({
    atRest,
    afterLoad: residentMemory(server, "now"),
    highest: residentMemory(server, "highest"),
  });
}
