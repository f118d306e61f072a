import { Socket } from "node:net";
import type { PoolClient } from "pg";
import { letSessionWait } from "../priority.server.ts";
import { commandLine } from "./embedded/processes.server.ts";

/**
 * Where processors are short, whoever reads goes first: the process of PostgreSQL that serves a connection goes after others
 * (decision 72). Only where it can be told that it runs on this machine: its title there ends with the port of the connection's other end.
 */
export async function letReadersGoFirst(client: PoolClient): Promise<void> {
  const { stream } = client.connection;
  const id = "processID" in client ? Number(client.processID) : 0;
  if (!id || !(stream instanceof Socket) || !stream.localPort) return;
  const title = await commandLine(id);
  if (title.startsWith("postgres: ") && title.includes(`(${stream.localPort})`)) await letSessionWait(id);
}
