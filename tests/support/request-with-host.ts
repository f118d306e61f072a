import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

interface RequestOptions {
  method?: string;
  /** Instead of the URL's, which is normalized. */
  path?: string;
  headers?: Record<string, string> | undefined;
  body?: object | undefined;
  agent?: Agent | false;
  localAddress?: string;
}

/**
 * Sends what `fetch` refuses or changes: any method, path and header. Follows no redirect, decodes no body. Like
 * browsers, sends a GET again if the server closed the idle connection meanwhile.
 */
export async function sendRequest(url: string, { body, ...options }: RequestOptions = {}): Promise<Response> {
  const sent = request(url, options).end(body && JSON.stringify(body));
  // Also after the response has begun.
  sent.on("error", () => {});
  const [message]: (IncomingMessage | null)[] = await once(sent, "response").catch((error) => {
    if (error.code === "ECONNRESET" && sent.reusedSocket && sent.method === "GET") return [null];
    throw error;
  });
  if (message === null) return sendRequest(url, options);
  if (!message) throw new Error("There is no response");
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value));
  const content = await buffer(message);
  return new Response(content.length > 0 ? content : null, { status: message.statusCode ?? 0, headers });
}

export const requestWithHost = (url: string, host: string, { headers, ...options }: RequestOptions = {}) =>
  sendRequest(url, { ...options, headers: { ...headers, Host: host } });
