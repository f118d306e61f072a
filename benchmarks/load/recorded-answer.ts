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

/** Other requests than those that are measured. */
const SEED = 3;

/** The product's answers to as many requests of a load. */
export async function recordAnswers(origin: string, load: Load, count: number): Promise<RecordedAnswer[]> {
  const next = load.paths(SEED);
  const answers: RecordedAnswer[] = [];
  for (let index = 0; index < count; index++) {
    const answer = await record(origin + next(), load.headers);
    if (answer.status !== load.status) throw new Error(`${load.name}: a request was answered with ${answer.status}`);
    answers.push(answer);
  }
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
