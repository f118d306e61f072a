import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import type { Load } from "./loads.ts";

/** An answer of the product, byte for byte. */
export const recordedAnswer = z.object({
  status: z.int(),
  /** Names and values in turn, as they came, without those that every HTTP server writes by itself. */
  headers: z.array(z.string()),
  body: z.instanceof(Uint8Array),
});
export type RecordedAnswer = z.infer<typeof recordedAnswer>;

const writtenByServer = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

/** The product's answers to as many requests of a load. */
export async function recordAnswers(origin: string, load: Load, count: number): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  for (let index = 0; index < count; index++) answers.push(await record(origin + load.next(), load.headers));
  return answers;
}

async function record(url: string, headers: Record<string, string>): Promise<RecordedAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers }, resolve).on("error", reject).end();
  });
  const body = await buffer(response);
  return { status: response.statusCode ?? 0, headers: keptHeaders(response.rawHeaders), body };
}

function keptHeaders(raw: string[]): string[] {
  return raw.filter((_, index) => !writtenByServer.has((raw[index - (index % 2)] ?? "").toLowerCase()));
}
