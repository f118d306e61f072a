import type pg from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { messageOf } from "../../lib/error-message.ts";

/** Never quotes a password. */
export function findUrlProblem(url: string): string | null {
  const [, afterHost] = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/i.exec(url) ?? [];
  if (afterHost === undefined) return "must be a postgres:// URL";
  // Then part of a password is in the place of the database, which messages name.
  if (/[#@]/.test(afterHost))
    return "has a # or a late @: in a user or password write %23 for #, %2F for /, %3F for ?, %40 for @ and %25 for %";
  try {
    connectionConfig(url);
    return null;
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`;
  }
}

/** `sslmode` as libpq has it; without it, connections are not encrypted. */
export function connectionConfig(url: string): pg.ClientConfig {
  return toClientConfig(parse(url, { useLibpqCompat: true }));
}

export function describeServer(url: string): string {
  const { host, port, database } = parse(url, { useLibpqCompat: true });
  return `${host || "the local server"}${port ? `:${port}` : ""}/${database ?? ""}`;
}
