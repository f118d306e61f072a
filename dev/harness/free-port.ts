import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Ports below those that systems give out by themselves (Linux from 32768 on, others from 49152 on): nothing that listens
 * anywhere, and no connection, ever gets one by chance.
 */
const FIRST = 20_000;
const PAIRS = 6_000;

/**
 * A port of this machine that nobody listens on and that is this process's own for as long as it runs, also while what listens
 * there is being started again. The port after it, which stays taken, tells every other process that asks for one here.
 */
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

/** Null where somebody listens already. */
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
