import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

interface RequestOptions {
  method?: string;
  headers?: Record<string, string> | undefined;
}

/** Sends a request with a `Host` header of its own, which `fetch` does not. Follows no redirect. */
export async function requestWithHost(
  url: string,
  host: string,
  { method = "GET", headers }: RequestOptions = {},
): Promise<Response> {
  const sent = request(url, { method, headers: { ...headers, Host: host } }).end();
  const [message]: IncomingMessage[] = await once(sent, "response");
  if (!message) throw new Error("There is no response");
  const received = Object.entries(message.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(await text(message), { status: message.statusCode ?? 0, headers: received });
}
