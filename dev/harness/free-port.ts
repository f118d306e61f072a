import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the ephemeral ports (from 32768 on Linux, from 49152 elsewhere), which connections get. */
const FIRST = 20_000;
const PAIRS = 6_000;

/** Keeps the next port open. This marks the pair as taken, also while the port's server restarts. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = FIRST + 2 * Math.floor(Math.random() * PAIRS);
    const claim = await listenOn(port + 1);
    if (!claim) continue;
    claim.unref();
    const server = await listenOn(port);
    if (server) {
      await close(server);
      return port;
    }
    await close(claim);
  }
  throw new Error("No port is free");
}

/** Null if the port is in use. */
async function listenOn(port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy()).listen(port, "127.0.0.1");
  return once(server, "listening").then(
    () => server,
    () => null,
  );
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
