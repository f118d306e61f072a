import { readFile, rename, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { embeddedPaths, SOCKET_PORT } from "./paths.server.ts";
import { giveOwnership, type RunAs } from "./run-as.server.ts";

/** The name of the embedded server's superuser, and of Front Row's database in it. */
export const EMBEDDED_NAME = "front_row";

const connectionInfo = z.object({ port: z.int(), password: z.string().min(1) });

/** Port and password of the embedded server of a data folder. Port 0 means that it has never run. */
export type ConnectionInfo = z.infer<typeof connectionInfo>;

/**
 * What a URL leaves open, `pg` takes from environment variables (PGSSLMODE, PGOPTIONS, …), which somebody has
 * set for another database. So the URL leaves nothing open. The options repeat a setting of the server,
 * because empty ones count as left open.
 */
const parameters =
  "sslmode=disable&sslnegotiation=postgres&client_encoding=UTF8&replication=false&options=-c%20timezone%3DUTC";

/** The connection URL of a database in the embedded server. Contains the password. */
export function embeddedUrl({ port, password }: ConnectionInfo, database = EMBEDDED_NAME): string {
  return `postgres://${EMBEDDED_NAME}:${password}@127.0.0.1:${port}/${database}?${parameters}`;
}

/** The URL of the database by the server's socket in the data folder, which must be absolute. */
export function embeddedSocketUrl({ password }: ConnectionInfo, dataDir: string): string {
  const host = encodeURIComponent(dataDir);
  return `postgres://${EMBEDDED_NAME}:${password}@/${EMBEDDED_NAME}?host=${host}&port=${SOCKET_PORT}&${parameters}`;
}

/** What the last start of the embedded server stored; null if the file is missing or invalid. */
export async function readConnectionInfo(dataDir: string): Promise<ConnectionInfo | null> {
  try {
    return connectionInfo.parse(JSON.parse(await readFile(embeddedPaths(dataDir).connectionInfo, "utf8")));
  } catch {
    return null;
  }
}

/** Replaces the file atomically; only its owner may read it. An unchanged value is not written. */
export async function writeConnectionInfo(
  dataDir: string,
  value: ConnectionInfo,
  runAs: RunAs,
): Promise<void> {
  // A write would fail on a full disk, where the server must still start.
  if (isDeepStrictEqual(await readConnectionInfo(dataDir), value)) return;
  const file = embeddedPaths(dataDir).connectionInfo;
  const temporary = `${file}.new`;
  await writeFile(temporary, JSON.stringify(value), { mode: 0o600, flush: true });
  await giveOwnership(runAs, temporary);
  await rename(temporary, file);
}
