import { expect } from "vitest";
import { z } from "zod";
import { encodeRequest, type FuzzResponse, type RequestDraft } from "./request.ts";

const internals =
  /\n\s+at .+:\d+:\d+|node_modules|\.server\.ts|file:\/\/|\/(?:tmp|home|build)\/|root:x:0|"devDependencies"|select .+ from |insert into |"d":|(?:refresh|private)_key/i;

const text = z.string().min(1);
const apiError = z.union([
  z.strictObject({ code: text, message: text }),
  z.strictObject({ code: z.int(), error_code: text, msg: text }),
]);

export function expectSafeResponse(draft: RequestDraft, { status, headers, body }: FuzzResponse): void {
  if (!isBusyPreview(draft, status, body)) expect(status).toBeLessThan(500);
  // Node refuses invalid HTTP, and more than 16 KB of request line and headers, without a body.
  if (status === 431) expect(encodeRequest({ ...draft, body: null }).length).toBeGreaterThan(15_000);
  if (body === "") return;
  expectNoInternals(body);
  const type = String(headers["content-type"]);
  const isPlain = status === 414 || (status === 403 && body.includes("Requests of other sites are refused"));
  expect(headers["content-security-policy"]).toMatch(
    type.startsWith("text/html") && !isPlain ? /script-src 'self' 'sha256-/ : /^default-src 'none'/,
  );
  if (status < 400 || type.startsWith("text/html")) return;
  if (isMissingFile(draft, status, body)) return;
  expect(type).toBe("application/json");
  expect(apiError.safeParse(JSON.parse(body)).error).toBeUndefined();
}

/** A busy machine may draw no picture in time (docs/product.md §9.11). */
function isBusyPreview({ path }: RequestDraft, status: number, body: string): boolean {
  return status === 503 && path.endsWith("/preview.png") && body.includes('"code":"unavailable"');
}

/** The 404 of an unknown hashed file is text (docs/product.md §8.9). */
function isMissingFile({ path }: RequestDraft, status: number, body: string): boolean {
  return status === 404 && path.includes("/assets/") && body === "There is no such file.";
}

export function expectNoInternals(text: string): void {
  expect(internals.exec(text)?.[0]).toBeUndefined();
}
