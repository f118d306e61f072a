import { expect, onTestFinished, test, vi } from "vitest";
import { isSiteReachable } from "./reach-site-client.ts";

const health = { version: "1.0.0", name: "Front Row", description: "Sign-in" };
const hangs = () => new Promise<never>(() => {});
const stalls = () => new Response(new ReadableStream());

test.each<[string, boolean, () => Response | Promise<Response>]>([
  ["the site", true, () => Response.json(health)],
  ["nothing", false, () => Promise.reject(new TypeError("Load failed"))],
  ["a portal's page", false, () => new Response("<h1>Log in</h1>")],
  ["a portal's JSON", false, () => Response.json({ name: "Hotel", status: "ok" })],
  ["JSON without members", false, () => Response.json(null)],
  ["no response in time", false, hangs],
  ["no end of a response in time", false, stalls],
])("%s: the site is reachable: %s", async (_, expected, answer) => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  vi.stubGlobal("fetch", async (_path: string, { signal }: RequestInit) => {
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError"))),
    );
    const response = await Promise.race([answer(), aborted]);
    return Object.assign(response, {
      json: () => Promise.race([new Response(response.body).json(), aborted]),
    });
  });
  const reachable = isSiteReachable();
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await reachable).toBe(expected);
});
