import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { Answer, Encoding } from "./answer-cache.server.ts";
import { markRepeatable } from "./shortcut.server.ts";

const encodings: Encoding[] = ["br", "gzip", "identity"];

interface Sending {
  status?: 200 | 404;
  /** Whether the same request would be answered the same again. */
  isCurrent: () => boolean;
}

/** Sends an answer that is the same for everybody: in an encoding that the client takes, with a strong ETag; 304 instead of 200 when the client has it. */
export async function sendAnswer(c: Context, answer: Answer, { status = 200, isCurrent }: Sending): Promise<Response> {
  const accepted = accepts(c, { header: "Accept-Encoding", supports: encodings, default: "identity" });
  const encoding = encodings.find((name) => name === accepted) ?? "identity";
  const etag = `"${answer.hash}-${encoding}"`;
  const headers: Record<string, string> = {
    ...c.get("always"),
    "Cache-Control": "public, max-age=0, must-revalidate",
    Vary: "Accept-Encoding",
    ETag: etag,
  };
  // With a 304 too: its headers take the place of those that the browser has kept with the page.
  if (answer.policy) headers["Content-Security-Policy"] = answer.policy;
  if (status === 200 && matches(c.req.header("If-None-Match"), etag)) {
    markRepeatable(c, { status: 304, headers, body: null, isCurrent });
    return complete(c, new Response(null, { status: 304, headers }));
  }
  const wasAskedFor = answer.hasEncoded(encoding);
  const body = await answer.encoded(encoding);
  headers["Content-Type"] = answer.contentType;
  headers["Content-Length"] = String(body.length);
  if (encoding !== "identity") headers["Content-Encoding"] = encoding;
  // What is asked for the first time may never be again, and any number of addresses lead nowhere.
  if (wasAskedFor && status === 200) markRepeatable(c, { status, headers, body, isCurrent });
  return complete(c, new Response(body, { status, headers }));
}

/** Its headers are all there (`security-headers.server.ts`). */
function complete(c: Context, response: Response): Response {
  c.set("complete", response);
  return response;
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
