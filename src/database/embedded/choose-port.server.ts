import { once } from "node:events";
import { createServer } from "node:net";
import pRetry from "p-retry";
import { type RunningServer, ServerStartError } from "./postgres-process.server.ts";

const portError = /could not create any TCP\/IP sockets/;

/** If the preferred port is taken, tries free ones. @throws ServerStartError */
export function startOnAvailablePort(
  start: (port: number) => Promise<RunningServer>,
  preferred: number | undefined,
): Promise<{ server: RunningServer; port: number }> {
  const attempt = async (number: number) => {
    const port = number === 1 && preferred ? preferred : await freePort();
    return { server: await start(port), port };
  };
  return pRetry(attempt, {
    retries: 12,
    minTimeout: 50,
    maxTimeout: 1_000,
    shouldRetry: ({ error }) => error instanceof ServerStartError && portError.test(error.message),
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
