import type { BrowserContext, ConsoleMessage, Request, Response } from "@playwright/test";

/** Errors and other problems in the browser that a test did not intend. */
export interface Problems {
  /** Problems that must occur in this test, as patterns of their descriptions. */
  expect(...patterns: RegExp[]): void;
  /** Problems that may occur in this test. */
  allow(...patterns: RegExp[]): void;
  unexpected(): string[];
  /** The expected problems that did not occur. */
  missing(): RegExp[];
}

/**
 * Records console errors and warnings, uncaught errors, failed requests, error responses, and requests to
 * other origins in the pages of a context. Chromium reports violations of Content-Security-Policy and Trusted
 * Types as console errors, and invalid headers as console warnings; `injection.test.ts` verifies that.
 */
export function watchForProblems(context: BrowserContext, origin: string): Problems {
  const found: string[] = [];
  const expected: RegExp[] = [];
  const allowed: RegExp[] = [];

  context.on(
    "console",
    (message) => isErrorOrWarning(message) && found.push(`console ${message.type()}: ${message.text()}`),
  );
  context.on("weberror", (error) => found.push(`uncaught: ${error.error().message}`));
  context.on(
    "request",
    (request) => isOtherOrigin(request, origin) && found.push(`elsewhere: ${request.url()}`),
  );
  context.on(
    "requestfailed",
    (request) => isFailure(request) && found.push(`failed: ${failureOf(request)} ${request.url()}`),
  );
  context.on(
    "response",
    (response) => isError(response) && found.push(`${response.status()}: ${response.url()}`),
  );

  return {
    expect: (...patterns) => void expected.push(...patterns),
    allow: (...patterns) => void allowed.push(...patterns),
    unexpected: () =>
      found.filter((problem) => ![...expected, ...allowed].some((pattern) => pattern.test(problem))),
    missing: () => expected.filter((pattern) => !found.some((problem) => pattern.test(problem))),
  };
}

function isErrorOrWarning(message: ConsoleMessage): boolean {
  return message.type() === "error" || message.type() === "warning";
}

function isOtherOrigin(request: Request, origin: string): boolean {
  const url = new URL(request.url());
  return /^(https?|wss?):$/.test(url.protocol) && url.origin !== origin;
}

/**
 * A navigation aborts what a page was loading, which is no failure, except for requests to the API. Loading
 * notes of shows that have left the screen may be aborted too.
 */
function isFailure(request: Request): boolean {
  const { pathname } = new URL(request.url());
  const isNotes = request.method() === "GET" && pathname.startsWith("/api/reviews");
  return failureOf(request) !== "net::ERR_ABORTED" || (pathname.startsWith("/api/") && !isNotes);
}

function failureOf(request: Request): string {
  return request.failure()?.errorText ?? "";
}

function isError(response: Response): boolean {
  return response.status() >= 400;
}
