import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

interface RequestOptions {
  method?: string;
  headers?: Record<string, string> | undefined;
  body?: object | undefined;
  agent?: Agent | false;
  localAddress?: string;
}

/** Sends any method and header, also those that `fetch` refuses or changes. Follows no redirect, decodes no body. */
export async function sendRequest(url: string, { body, ...options }: RequestOptions = {}): Promise<Response> {
  const sent = request(url, { method: "GET", ...options }).end(body && JSON.stringify(body));
  const [message]: IncomingMessage[] = await once(sent, "response");
  if (!message) throw new Error("There is no response");
  const received = Object.entries(message.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(await text(message), { status: message.statusCode ?? 0, headers: received });
}

export const requestWithHost = (url: string, host: string, { headers, ...options }: RequestOptions = {}) =>
  sendRequest(url, { ...options, headers: { ...headers, Host: host } });
