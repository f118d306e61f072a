/*
 * The limit: the least that a Node server can do. It sends the answers it was given in turn, whatever it is asked. Runs
 * in a process of its own, and ends when the one that started it is gone.
 */
import { createServer } from "node:http";
import process from "node:process";
import { z } from "zod";
import { type RecordedAnswer, recordedAnswer } from "../load/recorded-answer.ts";
import { serve } from "./serve.ts";

let answers: RecordedAnswer[] = [];
let sent = 0;

// Those who measure leave connections unused for longer than Node's five seconds.
const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
  const answer = answers[sent++ % answers.length];
  if (!answer) return response.destroy();
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});

process.on("message", (message) => {
  answers = z.array(recordedAnswer).parse(message);
  process.send?.("ready");
});
serve(server);
