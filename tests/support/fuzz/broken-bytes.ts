import { connect } from "node:net";
import fc from "fast-check";
import { encodeRequest, type RequestDraft } from "./request.ts";

/** Pieces that mean something to whoever reads HTTP. */
const words = [
  "\r\n", "\r\n\r\n", "\n", "\r", "\n\n", "\0", " ", "\t", ":", "%", "../", "//evil/", "9", "-", "HTTP/1.0", "HTTP/9.9",
  "Host: y\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: x, chunked\r\n", "Transfer-Encoding : chunked\r\n",
  "Content-Length: 5\r\n", "Content-Length: 5, 5\r\n", "Content-Length: +5\r\n", "Content-Length: -1\r\n", "Content-Length: 0x5\r\n",
  "Content-Length: 99999999999999999999\r\n", "Expect: 100-continue\r\n", "Expect: x\r\n", "Upgrade: websocket\r\nConnection: Upgrade\r\n",
  "Connection: keep-alive\r\n", "X: a\r\n folded\r\n", "0\r\n\r\n", "5\r\nabcde\r\n", "ffffffffffffffff\r\n", "5;x=y\r\nabcde\r\n0\r\nT: x\r\n\r\n",
]; // biome-ignore format: a table of pieces

const piece = fc.oneof(
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...words).map((text) => Buffer.from(text)),
);

const cut = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12), piece });

function withCuts(bytes: Buffer, cuts: readonly { at: number; length: number; piece: Buffer }[]): Buffer {
  return cuts.reduce((changed, { at, length, piece }) => {
    const from = Math.floor(at * changed.length);
    return Buffer.concat([changed.subarray(0, from), piece, changed.subarray(from + length)]);
  }, bytes);
}

/** Bytes of good requests, one or several after each other, with some of them replaced by others, anywhere, or the end left out. */
export function brokenBytes(good: readonly RequestDraft[]): fc.Arbitrary<Uint8Array> {
  const some = fc
    .array(fc.constantFrom(...good), { maxLength: 2 })
    .map((drafts) => drafts.map((one) => encodeRequest(one, "keep-alive")));
  const last = fc.constantFrom(...good).map((draft) => encodeRequest(draft));
  const broken = fc
    .tuple(some, last, fc.array(cut, { minLength: 1, maxLength: 3 }))
    .map(([before, bytes, cuts]) => withCuts(Buffer.concat([...before, bytes]), cuts));
  const truncated = fc
    .tuple(broken, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([bytes, part]) => bytes.subarray(0, part * bytes.length));
  return fc.oneof(
    { weight: 8, arbitrary: broken },
    { weight: 1, arbitrary: truncated },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }) },
  );
}

/**
 * Sends bytes as they are; answers all that came back. Whoever gets no answer gives up soon, but not before the server has answered
 * somebody who asked later: a server that is only busy has its time.
 */
export function sendBytes(origin: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(50, () => void untilAnswered(origin).then(() => socket.end()));
    socket.on("data", (part) => parts.push(part));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(Buffer.concat(parts).toString("latin1")));
  });
}

/** Resolves when a server has answered somebody who asks now, on a connection that does not stay, or is gone. */
async function untilAnswered(origin: string): Promise<void> {
  const asked = fetch(`${origin}/healthz`, { headers: { connection: "close" } });
  await asked.then((answer) => answer.text()).catch(() => {});
}
