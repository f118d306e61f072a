import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { closeAtOnce, listenOnLoopback } from "./loopback-server.ts";

test("an idle connection is the client's to close, so that no request meets one that is being closed", async () => {
  const server = createServer((_request, response) => response.end());
  const url = await listenOnLoopback(server, 0);
  onTestFinished(() => closeAtOnce(server));
  const answer = await fetch(url);
  expect(answer.headers.get("connection")).toBe("keep-alive");
  // After how many seconds the server would close it.
  expect(answer.headers.get("keep-alive")).toBeNull();
});
