import { readFile, rename, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { embeddedPaths } from "./paths.server.ts";
import { giveOwnership, type RunAs } from "./run-as.server.ts";

export const EMBEDDED_NAME = "front_row";

const connectionInfo = z.object({ port: z.int(), password: z.string().min(1) });

/** Port 0 means that the server has never run. */
export type ConnectionInfo = z.infer<typeof connectionInfo>;

/** Sets all that `pg` would otherwise read from environment variables, as it does for empty options. */
const parameters =
  "sslmode=disable&sslnegotiation=postgres&client_encoding=UTF8&replication=false&options=-c%20timezone%3DUTC";

export function embeddedUrl({ port, password }: ConnectionInfo, database = EMBEDDED_NAME): string {
  return `postgres://${EMBEDDED_NAME}:${password}@127.0.0.1:${port}/${database}?${parameters}`;
}

export async function readConnectionInfo(dataDir: string): Promise<ConnectionInfo | null> {
  try {
    return connectionInfo.parse(JSON.parse(await readFile(embeddedPaths(dataDir).connectionInfo, "utf8")));
  } catch {
    return null;
  }
}

export async function writeConnectionInfo(dataDir: string, value: ConnectionInfo, runAs: RunAs) {
  // An unchanged file is not written again, because the server must also start on a full disk.
  if (isDeepStrictEqual(await readConnectionInfo(dataDir), value)) return;
  const file = embeddedPaths(dataDir).connectionInfo;
  const temporary = `${file}.new`;
  await writeFile(temporary, JSON.stringify(value), { mode: 0o600, flush: true });
  await giveOwnership(runAs, temporary);
  await rename(temporary, file);
}
