import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { Answer, Encoding } from "./answer-cache.server.ts";
import { sizeOf } from "./own-memory.server.ts";
import { type Bytes, inOnePiece, markNegotiated, markRepeatable, type Repeatable } from "./shortcut.server.ts";

/** The smallest first. */
const encodings: Encoding[] = ["br", "gzip", "identity"];

/** What there is to be sent. */
interface Sendable extends Pick<Answer, "contentType" | "policy" | "hash"> {
  /** All of it, or in pieces. */
  encoded(encoding: Encoding): Promise<Bytes | Bytes[]>;
}

interface Sending {
  status?: 200 | 404;
  /** Whether the same request would be answered the same again. */
  isCurrent: () => boolean;
}

/** How an answer is asked for. */
interface Asking extends Sending {
  encoding: Encoding;
  ifNoneMatch: string | undefined;
  /** The headers that are on every answer. */
  always: Record<string, string>;
}

/** Sends an answer that is the same for everybody: in an encoding that the client takes, with a strong ETag; 304 instead of 200 when the client has it. */
export async function sendAnswer(c: Context, answer: Sendable, sending: Sending): Promise<Response> {
  const options = { header: "Accept-Encoding" as const, supports: encodings, default: "identity", match: bestEncoding };
  const accepted = accepts(c, options);
  const encoding = encodings.find((name) => name === accepted) ?? "identity";
  markNegotiated(c, encoding);
  const ifNoneMatch = c.req.header("If-None-Match");
  const composed = await composeAnswer(answer, { ...sending, encoding, ifNoneMatch, always: c.get("always") });
  // Any number of addresses lead nowhere.
  if (composed.status !== 404) markRepeatable(c, composed);
  const { status, headers, body } = composed;
  const response = new Response(inOnePiece(body)[0], { status, headers });
  c.set("complete", response); // its headers are all there (`security-headers.server.ts`)
  return response;
}

/**
 * The encoding that a client likes best; of those that it likes equally well, the smallest: browsers name gzip first and mean nothing
 * by it. No encoding is the last resort, unless it is asked for.
 */
function bestEncoding(accepted: readonly { type: string; q: number }[]): Encoding {
  const named = (name: string) => accepted.find(({ type }) => type.toLowerCase() === name)?.q;
  const liking = (name: Encoding) => named(name) ?? (name === "identity" ? Number.MIN_VALUE : (named("*") ?? 0));
  const [best = "identity"] = encodings.toSorted((a, b) => liking(b) - liking(a));
  return liking(best) > 0 ? best : "identity";
}

/** The same without a Hono context: what there is to be sent. */
export async function composeAnswer(
  answer: Sendable,
  { encoding, ifNoneMatch, always, status = 200, isCurrent }: Asking,
): Promise<Repeatable> {
  const etag = `"${answer.hash}-${encoding}"`;
  const headers: Record<string, string> = {
    ...always,
    "Cache-Control": "public, max-age=0, must-revalidate",
    Vary: "Accept-Encoding",
    ETag: etag,
  };
  // With a 304 too: its headers take the place of those that the browser has kept with the page.
  if (answer.policy) headers["Content-Security-Policy"] = answer.policy;
  if (status === 200 && matches(ifNoneMatch, etag)) {
    return { status: 304, headers, body: [], isCurrent };
  }
  const body = [await answer.encoded(encoding)].flat();
  headers["Content-Type"] = answer.contentType;
  headers["Content-Length"] = String(sizeOf(body));
  if (encoding !== "identity") headers["Content-Encoding"] = encoding;
  return { status, headers, body, isCurrent };
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
