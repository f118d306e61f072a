import { readdirSync, readFileSync } from "node:fs";

/** The unit of CPU time in /proc, the same on every machine (proc(5), USER_HZ). */
const TICKS_PER_SECOND = 100;

/** The server among the descendants of `npm start`. Like all here, reads /proc of Linux. @throws Error without one */
export function findServer(ancestor: number): number {
  const server = descendants(ancestor).find((pid) => /server\/main\.js|dev\/serve-demo/.test(commandOf(pid)));
  if (server === undefined) throw new Error("npm start runs no server");
  return server;
}

/** In ms, with a resolution of 10 ms. */
export function cpuTime(pid: number): number {
  const fields = statOf(pid);
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** In MB. */
export function residentMemory(pid: number, when: "now" | "highest"): number {
  const field = { now: "VmRSS", highest: "VmHWM" }[when];
  const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

export function descendants(pid: number): number[] {
  const children = allProcesses().filter((other) => Number(statOf(other)[1]) === pid);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function allProcesses(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** Empty after the end of the process. */
export const stateOf = (pid: number): string => statOf(pid)[0] ?? "";

/** The fields of /proc/PID/stat from the state on. Empty after the end of the process. */
function statOf(pid: number): string[] {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

export function commandOf(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`).split("\0").filter(Boolean).join(" ");
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
