import { ConfigError } from "../config/environment.server.ts";
import { DatabaseStartError } from "../database/startup-error.server.ts";
import { ListenError } from "../http/listener/http-server.server.ts";

/** Whether a start failed for a reason that its message explains to the person who tried: print that, not a stack trace. */
export function isStartError(error: unknown): error is Error {
  return [ConfigError, DatabaseStartError, ListenError].some((kind) => error instanceof kind);
}
