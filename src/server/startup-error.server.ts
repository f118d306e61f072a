import { ConfigError } from "../config/environment.server.ts";
import { DatabaseStartError } from "../database/startup-error.server.ts";
import { ListenError } from "../http/listener/http-server.server.ts";

/** Whether the message explains a failed start to the operator, so that no stack trace is needed. */
export function isStartError(error: unknown): error is Error {
  return [ConfigError, DatabaseStartError, ListenError].some((kind) => error instanceof kind);
}
