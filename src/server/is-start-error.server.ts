import { ConfigError } from "../config/config-error.server.ts";
import { DatabaseStartError } from "../database/database-start-error.server.ts";
import { ListenError } from "../http/listener/http-server.server.ts";

/** Whether the message alone explains to the operator why the process cannot start. */
export function isStartError(error: unknown): error is Error {
  return [ConfigError, DatabaseStartError, ListenError].some((kind) => error instanceof kind);
}
