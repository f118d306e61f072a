import type { BrowserContext, Request } from "@playwright/test";

export type Problems = ReturnType<typeof watchForProblems>;

/**
 * Records console errors and warnings, uncaught errors, failed requests, error responses, and requests to
 * other origins in the pages of a context. Chromium reports violations of Content-Security-Policy and Trusted
 * Types as console errors, and invalid headers as console warnings; `injection.test.ts` verifies that.
 */
export function watchForProblems(context: BrowserContext, origin: string) {
  const found: string[] = [];
  const expected: RegExp[] = [];
  // A result of `serviceWorkers: "block"` (playwright.config.ts).
  const allowed: RegExp[] = [/^console warning: Service Worker registration blocked by Playwright$/];
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      found.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => found.push(`uncaught: ${error.error().message}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) found.push(`elsewhere: ${url.href}`);
  });
  context.on("requestfailed", (request) => {
    if (isFailure(request)) found.push(`failed: ${failureOf(request)} ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) found.push(`${response.status()}: ${response.url()}`);
  });
  return {
    expect: (...patterns: RegExp[]) => void expected.push(...patterns),
    allow: (...patterns: RegExp[]) => void allowed.push(...patterns),
    unexpected: () =>
      found.filter((problem) => ![...expected, ...allowed].some((pattern) => pattern.test(problem))),
    missing: () => expected.filter((pattern) => !found.some((problem) => pattern.test(problem))),
  };
}

function isFailure(request: Request): boolean {
  const { pathname } = new URL(request.url());
  const isNotes = request.method() === "GET" && pathname.startsWith("/api/reviews");
  return failureOf(request) !== "net::ERR_ABORTED" || (pathname.startsWith("/api/") && !isNotes);
}

const failureOf = (request: Request) => request.failure()?.errorText ?? "";
