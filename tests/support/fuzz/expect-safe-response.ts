import { expect } from "vitest";
import { z } from "zod";
import { encodeRequest, type FuzzResponse, type RequestDraft } from "./request.ts";

/** What is nobody else's business: stacks, statements, files, keys. */
const inside =
  /\n\s+at .+:\d+:\d+|node_modules|\.server\.ts|file:\/\/|\/(?:tmp|home|build)\/|root:x:0|"devDependencies"|select .+ from |insert into |"d":|(?:refresh|private)_key/i;

const text = z.string().min(1);
const problem = z.union([
  z.strictObject({ code: text, message: text }),
  z.strictObject({ code: z.int(), error_code: text, msg: text }),
]);

/**
 * What holds for every answer to any request: it is no failure of the server's, it tells nothing of the server's inside, an error is told
 * in the API's form or on a page, and whatever has a body says what a browser may do with it.
 */
export function expectSafeResponse(draft: RequestDraft, { status, headers, body }: FuzzResponse): void {
  expect(status).toBeLessThan(500);
  // Node itself refuses an address and headers of more than 16 KB, and whatever is no HTTP, without a word.
  if (status === 431) expect(encodeRequest({ ...draft, body: null }).length).toBeGreaterThan(15_000);
  if (body === "") return;
  expectNoInternals(body);
  const type = String(headers["content-type"]);
  expect(headers["content-security-policy"]).toMatch(
    type.startsWith("text/html") ? /script-src 'self' 'sha256-/ : /^default-src 'none'/,
  );
  if (status < 400 || type.startsWith("text/html") || isOfTheRouter(type, body)) return;
  expect(type).toBe("application/json");
  expect(problem.safeParse(JSON.parse(body)).error).toBeUndefined();
}

/** What React Router tells its own code in the browser. */
function isOfTheRouter(type: string, body: string): boolean {
  return type === "text/x-script" || body === "Invalid Request";
}

/** Answers, as text, with or without their headers. */
export function expectNoInternals(text: string): void {
  expect(inside.exec(text)?.[0]).toBeUndefined();
}
