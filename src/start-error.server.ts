import { ConfigError } from "./config.server.ts";
import { DatabaseStartError } from "./database/start-error.server.ts";
import { ListenError } from "./http/listen.server.ts";

/** Whether a start failed for a reason that its message explains to the person who tried: print that, not a stack trace. */
export function isStartError(error: unknown): error is Error {
  return [ConfigError, DatabaseStartError, ListenError].some((kind) => error instanceof kind);
}
