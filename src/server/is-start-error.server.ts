import { ConfigError } from "../config/config-error.server.ts";
import { DatabaseStartError } from "../database/database-start-error.server.ts";
import { ListenError } from "../http/listener/http-server.server.ts";

/**
 * Whether this is an expected reason why the process cannot start (configuration, database, port). Its
 * message explains it to the operator: print that, without a stack trace.
 */
export function isStartError(error: unknown): error is Error {
  return [ConfigError, DatabaseStartError, ListenError].some((kind) => error instanceof kind);
}
