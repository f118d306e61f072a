import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { closeAtOnce, listenOnLoopback } from "./loopback-server.ts";

test("the server never closes an idle connection, so that no request is lost on a closing one", async () => {
  const server = createServer((_request, response) => response.end());
  const url = await listenOnLoopback(server, 0);
  onTestFinished(() => closeAtOnce(server));
  const response = await fetch(url);
  expect(response.headers.get("connection")).toBe("keep-alive");
  // The header would say when the server closes the connection.
  expect(response.headers.get("keep-alive")).toBeNull();
});
