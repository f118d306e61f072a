import type { MiddlewareHandler } from "hono";

export interface SecurityHeaderOptions {
  /** Scheme, host and port that visitors use. */
  origin: string;
  /** Whether browsers must use https for the subdomains of `origin` too. */
  hstsSubdomains: boolean;
}

function securityHeaders({ origin, hstsSubdomains }: SecurityHeaderOptions): Record<string, string> {
  return {
    // For responses that are not pages: data, files, errors. Opened as a document, they load and run nothing.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Origin-Agent-Cluster": "?1",
    // To leave an in-app browser, a page copies its own address.
    "Permissions-Policy": [
      ...unusedFeatures.map((feature) => `${feature}=()`),
      "clipboard-write=(self)",
    ].join(", "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    ...(origin.startsWith("https:") && {
      "Strict-Transport-Security": `max-age=15552000${hstsSubdomains ? "; includeSubDomains" : ""}`,
    }),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
}

/**
 * Browser features that the site does not need and an injected script could abuse. Only those that Chromium
 * knows on every system: on Linux it warns about `bluetooth` and `web-share`.
 */
const unusedFeatures = [
  "accelerometer",
  "browsing-topics",
  "camera",
  "clipboard-read",
  "compute-pressure",
  "digital-credentials-get",
  "display-capture",
  "encrypted-media",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "identity-credentials-get",
  "idle-detection",
  "keyboard-map",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "otp-credentials",
  "payment",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "speaker-selection",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking",
];

/**
 * Hides the URL, which may carry a secret, from the next site. Wraps the general headers, whose policy is
 * weaker.
 */
export const sendNoReferrer: MiddlewareHandler = async function sendNoReferrer(c, next) {
  await next();
  c.header("Referrer-Policy", "no-referrer");
};

/**
 * Sets the security headers. A response keeps those it has set itself, such as a page's own
 * Content-Security-Policy (`content-security-policy.server.ts`) or a stricter referrer policy.
 */
export function sendSecurityHeaders(options: SecurityHeaderOptions): MiddlewareHandler {
  const entries = Object.entries(securityHeaders(options));
  return async function setSecurityHeaders(c, next) {
    await next();
    const { headers } = c.res;
    for (const [name, value] of entries) if (!headers.has(name)) headers.set(name, value);
  };
}
