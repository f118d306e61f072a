import { once } from "node:events";
import { createServer } from "node:net";
import pRetry from "p-retry";
import { type RunningServer, ServerStartFailure } from "./postgres-process.server.ts";

/** What another try may mend: somebody took the port in between, or processes of a killed server are not gone yet. */
const passing = /could not create any TCP\/IP sockets|shared memory block .* still in use|lock file .* already exists/;

/**
 * Starts the server on its usual port, or where that is taken on a free one.
 * @throws ServerStartFailure
 */
export function startOnSomePort(
  start: (port: number) => Promise<RunningServer>,
  usual: number | undefined,
): Promise<{ server: RunningServer; port: number }> {
  const attempt = async (number: number) => {
    const port = number === 1 && usual ? usual : await freePort();
    return { server: await start(port), port };
  };
  return pRetry(attempt, {
    retries: 12,
    minTimeout: 50,
    maxTimeout: 1_000,
    shouldRetry: ({ error }) => error instanceof ServerStartFailure && passing.test(error.message),
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
