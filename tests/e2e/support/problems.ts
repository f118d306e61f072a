import type { BrowserContext, ConsoleMessage, Request, Response } from "@playwright/test";

/** What went wrong in the browser and nobody asked for. */
export interface Problems {
  /** Something that has to go wrong in this test, as a part of what is reported about it. */
  expect(...patterns: RegExp[]): void;
  /** Something that may go wrong in this test. */
  allow(...patterns: RegExp[]): void;
  /** What went wrong and was neither expected nor allowed. */
  unexpected(): string[];
  /** What was expected and did not happen. */
  missing(): RegExp[];
}

/**
 * Notes every error and warning on the console, uncaught error, failed request, error answer and request to another origin
 * in the pages of a context. Chromium tells what a page's Content-Security-Policy or Trusted Types forbid as errors on the
 * console, and what it does not understand of a header as warnings: `injection.test.ts` sees that it does.
 */
export function watchForProblems(context: BrowserContext, origin: string): Problems {
  const found: string[] = [];
  const expected: RegExp[] = [];
  const allowed: RegExp[] = [];

  context.on("console", (message) => isTrouble(message) && found.push(`console ${message.type()}: ${message.text()}`));
  context.on("weberror", (error) => found.push(`uncaught: ${error.error().message}`));
  context.on("request", (request) => isElsewhere(request, origin) && found.push(`elsewhere: ${request.url()}`));
  context.on(
    "requestfailed",
    (request) => isLoss(request) && found.push(`failed: ${failureOf(request)} ${request.url()}`),
  );
  context.on("response", (response) => isError(response) && found.push(`${response.status()}: ${response.url()}`));

  return {
    expect: (...patterns) => void expected.push(...patterns),
    allow: (...patterns) => void allowed.push(...patterns),
    unexpected: () => found.filter((problem) => ![...expected, ...allowed].some((pattern) => pattern.test(problem))),
    missing: () => expected.filter((pattern) => !found.some((problem) => pattern.test(problem))),
  };
}

function isTrouble(message: ConsoleMessage): boolean {
  return message.type() === "error" || message.type() === "warning";
}

function isElsewhere(request: Request, origin: string): boolean {
  const url = new URL(request.url());
  return /^(https?|wss?):$/.test(url.protocol) && url.origin !== origin;
}

/**
 * A page that is left gives up what it was loading, and that is no loss; an answer that it asked for is one. The notes of
 * shows that are not on screen any more nobody asked for.
 */
function isLoss(request: Request): boolean {
  const { pathname } = new URL(request.url());
  const aside = request.method() === "GET" && pathname.startsWith("/api/reviews");
  return failureOf(request) !== "net::ERR_ABORTED" || (pathname.startsWith("/api/") && !aside);
}

function failureOf(request: Request): string {
  return request.failure()?.errorText ?? "";
}

function isError(response: Response): boolean {
  return response.status() >= 400;
}
