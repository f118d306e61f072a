/*
 * Hono sending texts that it has: what a framework takes before anything is done. It looks at the query as a real route
 * would have to, and sends the answers it was given in turn.
 */
import { createServer } from "node:http";
import process from "node:process";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { z } from "zod";
import { recordedAnswer } from "../load/recorded-answer.ts";
import { serve } from "./serve.ts";

interface Text {
  text: string;
  headers: Record<string, string>;
}

let texts: Text[] = [];
let sent = 0;

const app = new Hono();
app.get("/api/shows", (c) => {
  const answer = texts[sent++ % texts.length];
  if (!answer || c.req.query("page") === "0") return c.notFound();
  return c.body(answer.text, 200, answer.headers);
});

process.on("message", (message) => {
  texts = z
    .array(recordedAnswer)
    .parse(message)
    .map(({ headers, body }) => ({ text: Buffer.from(body).toString(), headers: pairs(headers) }));
  process.send?.("ready");
});
serve(createServer(getRequestListener(app.fetch)));

function pairs(list: readonly string[]): Record<string, string> {
  const entries = list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : []));
  return Object.fromEntries(entries);
}
