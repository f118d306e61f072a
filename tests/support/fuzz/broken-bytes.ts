import fc from "fast-check";
import { openRawConnection } from "../raw-connection.ts";
import { encodeRequest, type RequestDraft } from "./request.ts";

const fragments = [
  "\r\n", "\r\n\r\n", "\n", "\r", "\n\n", "\0", " ", "\t", ":", "%", "../", "//evil/", "9", "-", "HTTP/1.0", "HTTP/9.9",
  "Host: y\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: x, chunked\r\n", "Transfer-Encoding : chunked\r\n",
  "Content-Length: 5\r\n", "Content-Length: 5, 5\r\n", "Content-Length: +5\r\n", "Content-Length: -1\r\n", "Content-Length: 0x5\r\n",
  "Content-Length: 99999999999999999999\r\n", "Expect: 100-continue\r\n", "Expect: x\r\n", "Upgrade: websocket\r\nConnection: Upgrade\r\n",
  "Connection: keep-alive\r\n", "X: a\r\n folded\r\n", "0\r\n\r\n", "5\r\nabcde\r\n", "ffffffffffffffff\r\n", "5;x=y\r\nabcde\r\n0\r\nT: x\r\n\r\n",
]; // biome-ignore format: a table of fragments

const fragment = fc.oneof(
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...fragments).map((text) => Buffer.from(text)),
);

const share = fc.double({ min: 0, max: 1, noNaN: true });
const replacement = fc.record({ at: share, length: fc.nat(12), fragment });
type Replacement = { at: number; length: number; fragment: Buffer };

function replaceParts(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  return replacements.reduce((changed, { at, length, fragment }) => {
    const from = Math.floor(at * changed.length);
    return Buffer.concat([changed.subarray(0, from), fragment, changed.subarray(from + length)]);
  }, bytes);
}

export function brokenBytes(validRequests: readonly RequestDraft[]): fc.Arbitrary<Uint8Array> {
  const firstRequests = fc
    .array(fc.constantFrom(...validRequests), { maxLength: 2 })
    .map((drafts) => drafts.map((draft) => encodeRequest(draft, "keep-alive")));
  const lastRequest = fc.constantFrom(...validRequests).map((draft) => encodeRequest(draft));
  const broken = fc
    .tuple(firstRequests, lastRequest, fc.array(replacement, { minLength: 1, maxLength: 3 }))
    .map(([before, last, replacements]) => replaceParts(Buffer.concat([...before, last]), replacements));
  const truncated = fc.tuple(broken, share).map(([bytes, part]) => bytes.subarray(0, part * bytes.length));
  return fc.oneof(
    { weight: 8, arbitrary: broken },
    { weight: 1, arbitrary: truncated },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }) },
  );
}

/** Waits for a later request before it closes a connection without a response: the server may be busy. */
export async function sendBytes(origin: string, bytes: Uint8Array): Promise<string> {
  const { socket, closed } = await openRawConnection(origin);
  socket.write(bytes);
  socket.setTimeout(50, () => void waitForLaterResponse(origin).then(() => socket.end()));
  return closed;
}

async function waitForLaterResponse(origin: string): Promise<void> {
  const request = fetch(`${origin}/healthz`, { headers: { connection: "close" } });
  await request.then((response) => response.text()).catch(() => {});
}
