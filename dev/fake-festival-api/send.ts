import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Fault } from "./faults.ts";

/** The real API's charset name is not the standard one. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: OutgoingHttpHeaders,
): void {
  send(response, status, JSON.stringify(body), {
    "content-type": "application/json; charset=utf8",
    ...headers,
  });
}

/** False if no fault applies and nothing was sent. */
export function sendBroken(response: ServerResponse, faults: readonly Fault[], body: unknown): boolean {
  return faults.some((fault) => sendFault(response, fault, body));
}

const errorPage = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>";

function sendFault(response: ServerResponse, fault: Fault, body: unknown): boolean {
  const json = JSON.stringify(body) ?? "";
  const half = json.slice(0, Math.ceil(json.length / 2));
  switch (fault.kind) {
    case "status":
      send(response, fault.status, errorPage, {
        "content-type": "text/html",
        ...retryAfter(fault.retryAfter),
      });
      return true;
    case "drop":
      response.destroy();
      return true;
    case "cut":
      response.writeHead(200, {
        "content-type": "application/json; charset=utf8",
        "content-length": Buffer.byteLength(json),
      });
      response.write(half, () => response.destroy());
      return true;
    case "html":
      send(response, 200, errorPage, { "content-type": "text/html" });
      return true;
    case "empty":
      send(response, 200, "", { "content-type": "application/json; charset=utf8" });
      return true;
    case "truncated":
      send(response, 200, half, { "content-type": "application/json; charset=utf8" });
      return true;
    case "object":
      sendJson(response, 200, { events: body });
      return true;
    default:
      return false;
  }
}

function retryAfter(when: number | Date | undefined): OutgoingHttpHeaders {
  if (when === undefined) return {};
  return { "retry-after": typeof when === "number" ? String(when) : when.toUTCString() };
}

function send(response: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}
