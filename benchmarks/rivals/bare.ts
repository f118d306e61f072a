// The limit: a bare `node:http` server that sends the responses it was given in turn, whatever it is asked.
import { createServer } from "node:http";
import process from "node:process";
import { listen } from "./serve.ts";
import type { RecordedResponse } from "./start.ts";

let responses: RecordedResponse[] = [];
let sent = 0;

// Between two rounds connections are unused for longer than Node's five seconds.
const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
  const recorded = responses[sent++ % responses.length];
  if (!recorded) return response.destroy();
  response.writeHead(200, recorded.headers);
  response.end(recorded.body);
});

process.on("message", (message: RecordedResponse[]) => {
  responses = message;
  process.send?.("ready");
});
listen(server);
