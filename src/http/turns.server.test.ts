import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../tests/support/free-port.ts";
import { leaveTogether, nextTurn } from "./turns.server.ts";

async function serve(listener: RequestListener): Promise<string> {
  const port = await freePort();
  const server = createServer(listener).listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}`;
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

test("an answer in pieces leaves whole, and one without any leaves too", async () => {
  const origin = await serve(({ url }, response) => {
    response.writeHead(200);
    leaveTogether(response, url === "/empty" ? [] : [bytes("Tea "), bytes("for "), bytes("Two")]);
  });
  const texts = ["/", "/empty", "/"].map(async (path) => (await fetch(origin + path)).text());
  expect(await Promise.all(texts)).toEqual(["Tea for Two", "", "Tea for Two"]);
});

test("long work goes on when those are answered who have asked before, even if it waited for its turn before they asked", async () => {
  const left: boolean[] = [];
  const origin = await serve((_, response) => {
    void nextTurn().then(() => left.push(response.writableEnded));
    response.writeHead(200);
    leaveTogether(response, [bytes("Tea")]);
  });
  await (await fetch(origin)).text();
  await expect.poll(() => left).toEqual([true]);
});
