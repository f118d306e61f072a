import { type Level, type Logger, pino } from "pino";
import { describeError } from "../log.server.ts";

/** A log of a thread: each line goes to whoever writes them, who knows when and where it is written. */
export function createThreadLog(level: string, tell: (line: string) => void): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  const serializers = { err: describeError };
  return pino({ level, base: null, timestamp: false, formatters, serializers }, { write: tell });
}

/** Puts lines of a thread's log into this one; what they say of an error is described already. */
export function repeatIn(log: Logger): (line: string) => void {
  const repeating = log.child({}, { serializers: { err: (described) => described } });
  return (line) => {
    const { level, msg, ...fields }: { level: Level; msg: string } = JSON.parse(line);
    repeating[level](fields, msg);
  };
}
