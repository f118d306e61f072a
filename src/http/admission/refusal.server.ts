import type { IncomingMessage, ServerResponse } from "node:http";
import type { RefusalError } from "../requests/errors.server.ts";

/** Waits `delay` to twice that, in ms, so that clients retry neither soon nor together. */
export function refuseLater(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: RefusalError,
  delay: number,
  isPage: (request: IncomingMessage) => boolean,
) {
  setTimeout(sendRefusal, delay * (1 + Math.random()), response, refusal, isPage(request));
}

function sendRefusal(response: ServerResponse, refusal: RefusalError, isPage: boolean): void {
  const { status, headers, html, code, message } = refusal;
  if (isPage) response.writeHead(status, headers).end(html);
  else
    response
      .writeHead(status, { ...headers, "Content-Type": "application/json" })
      .end(JSON.stringify({ code, message }));
}
