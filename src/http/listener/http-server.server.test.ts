import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../../dev/harness/free-port.ts";
import { type HttpServer, ListenError, listenHttp } from "./http-server.server.ts";

const loopback = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal }) => internal)
  .map(({ address }) => address);
const addresses = ["127.0.0.1", "::1"].filter((address) => loopback.includes(address));
let server: HttpServer | undefined;
afterEach(() => server?.close(0));

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test("localhost is listened on at all its addresses, until the server is closed", async () => {
  const port = await freePort();
  server = await listenHttp("localhost", port);
  server.serve((request, response) => response.end(request.socket.localAddress));
  for (const address of addresses) {
    const host = address.includes(":") ? `[${address}]` : address;
    const response = await fetch(`http://${host}:${port}/`);
    expect(await response.text()).toBe(address);
  }
  await server.close(0);
  for (const address of addresses) expect(await answers(address, port)).toBe(false);
});

test.each(addresses)("a port in use at %s is refused, and nothing stays open", async (taken) => {
  const port = await freePort();
  const other = createServer().listen(port, taken);
  await once(other, "listening");
  await expect(listenHttp("localhost", port)).rejects.toThrow(ListenError);
  await expect(listenHttp("localhost", port)).rejects.toThrow(/^Port \d+ is already in use/);
  for (const address of addresses) expect(await answers(address, port)).toBe(address === taken);
  other.close();
});
