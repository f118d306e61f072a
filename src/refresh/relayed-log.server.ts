import { type Level, type Logger, pino } from "pino";
import { describeError } from "../log.server.ts";

/** A log whose lines go to another process, which knows when and where they are written. */
export function createRelayedLog(level: string, tell: (line: string) => void): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  const serializers = { err: describeError };
  return pino({ level, base: null, timestamp: false, formatters, serializers }, { write: tell });
}

/** Puts relayed lines into this log; what they say of an error is described already. */
export function repeatIn(log: Logger): (line: string) => void {
  const repeating = log.child({}, { serializers: { err: (described) => described } });
  return (line) => {
    const { level, msg, ...fields }: { level: Level; msg: string } = JSON.parse(line);
    repeating[level](fields, msg);
  };
}
