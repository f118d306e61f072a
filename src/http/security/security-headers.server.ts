import type { MiddlewareHandler } from "hono";

function securityHeaders(origin: string): Record<string, string> {
  return {
    // For what is no page: data, files, errors. Shown as a document, they load and run nothing.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Origin-Agent-Cluster": "?1",
    // The way out of an app's own browser copies the page's address (`auth/ui/in-app-notice.tsx`).
    "Permissions-Policy": [...unusedFeatures.map((feature) => `${feature}=()`), "clipboard-write=(self)"].join(", "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    ...(origin.startsWith("https:") && { "Strict-Transport-Security": "max-age=15552000; includeSubDomains" }),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
}

/**
 * What a script might ask a visitor for, or use behind their back, and nothing here needs; as far as Chromium knows it on every
 * system: of `bluetooth` and `web-share` it complains on Linux.
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
 * Sets the headers that keep browsers from doing more with a response than is meant. A response keeps those that it has
 * set itself: a page's own policy for its scripts (`content-security-policy.server.ts`), a stricter referrer policy.
 * @param origin scheme, host and port that visitors use
 */
export function sendSecurityHeaders(origin: string): MiddlewareHandler {
  const entries = Object.entries(securityHeaders(origin));
  return async function setSecurityHeaders(c, next) {
    await next();
    const { headers } = c.res;
    for (const [name, value] of entries) if (!headers.has(name)) headers.set(name, value);
  };
}
