import { type DestinationStream, type Logger, pino } from "pino";

/** Logs only name, code and stack of errors: other fields of a database error quote personal data. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: serializeError } }, destination);
}

function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, stack } = error;
  return { type: name, ...("code" in error && { code: error.code }), stack };
}
