import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import { freePort } from "../../../dev/harness/free-port.ts";
import { ListenError, listenHttp } from "./http-server.server.ts";

/** Sends a request on a new keep-alive connection; resolves with the body. */
function sendRequest(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", agent: new Agent({ keepAlive: true }) }, async (response) => {
      resolve((await response.toArray()).join(""));
    })
      .on("error", reject)
      .end();
  });
}

test("requests wait until there is a listener", async () => {
  const port = await freePort();
  const server = await listenHttp("127.0.0.1", port);
  const pending = sendRequest(port);
  server.serve((_request, response) => response.end("here"));
  expect(await pending).toBe("here");
  await server.close(1_000);
});

test("closing finishes requests in flight, refuses new connections, and does not wait for idle ones", async () => {
  const port = await freePort();
  const server = await listenHttp("127.0.0.1", port);
  const received = Promise.withResolvers<() => void>();
  server.serve((_request, response) => received.resolve(() => response.end("finished")));
  const pending = sendRequest(port);
  const finish = await received.promise;
  const closed = server.close(60_000);
  await expect(sendRequest(port)).rejects.toThrow("ECONNREFUSED");
  finish();
  expect(await pending).toBe("finished");
  await closed;
});

test("a request that does not finish in time is cut off", async () => {
  const port = await freePort();
  const server = await listenHttp("127.0.0.1", port);
  const received = Promise.withResolvers<void>();
  server.serve(() => received.resolve());
  const pending = sendRequest(port);
  const ended = expect(pending).rejects.toThrow("socket hang up");
  await received.promise;
  await server.close(10);
  await ended;
});

test("a port in use is a ListenError", async () => {
  const port = await freePort();
  const server = await listenHttp("127.0.0.1", port);
  await expect(listenHttp("127.0.0.1", port)).rejects.toThrow(ListenError);
  await server.close(0);
});

test.each(["203.0.113.9", "198.51.100.1", "2001:db8::1"])(
  "an address of another machine (%s) is a ListenError that names HOST",
  async (host) => {
    const listening = listenHttp(host, await freePort());
    await expect(listening).rejects.toThrow(ListenError);
    await expect(listening).rejects.toThrow(/HOST/);
  },
);
