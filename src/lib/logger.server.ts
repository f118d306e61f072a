import { type DestinationStream, type Logger, pino } from "pino";

/** A log of JSON lines. Of an error it keeps name, code and stack alone: a database's error also quotes what was to be stored. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

/** What a log says of an error. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, stack } = error;
  return { type: name, ...("code" in error && { code: error.code }), stack };
}
