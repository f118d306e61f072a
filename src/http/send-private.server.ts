import type { Context } from "hono";

/** Sends data that is for one person alone, with all the headers that answers have: put on it one by one, they would take longer (`security-headers.server.ts`). */
export function sendPrivate(c: Context, data: object): Response {
  const headers = { ...c.get("always"), "Content-Type": "application/json", "Cache-Control": "no-store" };
  const response = new Response(JSON.stringify(data), { headers });
  c.set("complete", response);
  return response;
}
