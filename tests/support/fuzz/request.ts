import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** A request to send. Path and query are encoded. A header may have several values. */
export interface RequestDraft {
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string | string[]>;
  body: Buffer | null;
}

export type FuzzResponse = { status: number; headers: NodeJS.Dict<string | string[]>; body: string };

export function draftRequest(
  method: string,
  address: string,
  headers: RequestDraft["headers"] = {},
  body?: object,
): RequestDraft {
  const [path = "", search] = address.split("?");
  return {
    method,
    path,
    query: [...new URLSearchParams(search)].map(([name, value]) => [name, encodeURIComponent(value)]),
    headers,
    body: body ? Buffer.from(JSON.stringify(body)) : null,
  };
}

export function createSender(origin: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(origin);
  return {
    close: () => agent.destroy(),
    async send({ method, path, query, headers: given, body }: RequestDraft): Promise<FuzzResponse> {
      const framing =
        body && !("Transfer-Encoding" in given) ? { "Content-Length": String(body.length) } : {};
      const headers = { ...framing, ...given };
      const sent = httpRequest({ agent, hostname, port, method, path: target(path, query), headers });
      const received = once(sent, "response");
      sent.end(body ?? undefined);
      const [response] = await received;
      return readResponse(response);
    },
  };
}

async function readResponse(response: IncomingMessage): Promise<FuzzResponse> {
  const { statusCode: status = 0, headers } = response;
  const body = decode(await buffer(response), status, headers["content-encoding"]).toString();
  return { status, headers, body };
}

/** A partial response (206) is not decompressed. */
function decode(body: Buffer, status: number, encoding: string | undefined): Buffer {
  if (body.length === 0 || status === 206) return body;
  if (encoding === "br") return brotliDecompressSync(body);
  return encoding === "gzip" ? gunzipSync(body) : body;
}

function target(path: string, query: RequestDraft["query"]): string {
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  return search ? `${path}?${search}` : path;
}

export function encodeRequest({ method, path, query, headers, body }: RequestDraft, connection = "close") {
  const length = body ? { "Content-Length": String(body.length) } : {};
  const lines = Object.entries({ Host: "x", Connection: connection, ...length, ...headers }).flatMap(
    ([name, values]) => [values].flat().map((value) => `${name}: ${value}`),
  );
  const head = [`${method} ${target(path, query)} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head), body ?? Buffer.alloc(0)]);
}
