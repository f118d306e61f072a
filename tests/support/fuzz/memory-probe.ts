/** Loaded with `--import`. On SIGUSR2 it logs connections and memory. Needs `--expose-gc`. */
import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import process from "node:process";

const clients = new Set<Socket>();

subscribe("net.server.socket", (message) => {
  const { socket } = Object(message);
  if (!(socket instanceof Socket)) return;
  clients.add(socket);
  socket.once("close", () => clients.delete(socket));
});

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stdout.write(
    `${JSON.stringify({ level: 30, msg: "memory probe", connections: clients.size, heap: heapUsed + external, rss })}\n`,
  );
});
