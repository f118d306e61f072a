import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { Answer, Encoding } from "./answer-cache.server.ts";

const encodings: Encoding[] = ["br", "gzip", "identity"];

/** Sends an answer that is the same for everybody: in an encoding that the client takes, with a strong ETag; 304 instead of 200 when the client has it. */
export async function sendAnswer(c: Context, answer: Answer, status: 200 | 404 = 200): Promise<Response> {
  const accepted = accepts(c, { header: "Accept-Encoding", supports: encodings, default: "identity" });
  const encoding = encodings.find((name) => name === accepted) ?? "identity";
  const etag = `"${answer.hash}-${encoding}"`;
  c.header("Cache-Control", "public, max-age=0, must-revalidate");
  c.header("Vary", "Accept-Encoding");
  c.header("ETag", etag);
  // With a 304 too: its headers take the place of those that the browser has kept with the page.
  if (answer.policy) c.header("Content-Security-Policy", answer.policy);
  if (status === 200 && matches(c.req.header("If-None-Match"), etag)) return c.body(null, 304);
  c.header("Content-Type", answer.contentType);
  if (encoding !== "identity") c.header("Content-Encoding", encoding);
  return c.body(await answer.encoded(encoding), status);
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
