import type { MiddlewareHandler } from "hono";

/** An injected script could abuse these. Only names that Chromium knows on every system: it warns of others. */
const unusedFeatures = [
  "accelerometer browsing-topics camera clipboard-read compute-pressure digital-credentials-get",
  "display-capture encrypted-media gamepad geolocation gyroscope hid identity-credentials-get",
  "idle-detection keyboard-map local-fonts magnetometer microphone midi otp-credentials payment",
  "publickey-credentials-get screen-wake-lock serial speaker-selection storage-access usb",
  "window-management xr-spatial-tracking",
]
  .join(" ")
  .split(" ");

/** For URLs with secrets. Mounted outside of `sendSecurityHeaders`, whose policy is weaker. */
export const sendNoReferrer: MiddlewareHandler = async function sendNoReferrer(c, next) {
  await next();
  c.header("Referrer-Policy", "no-referrer");
};

/** A header that the response has set stays, such as a page's Content-Security-Policy. */
export function sendSecurityHeaders(origin: string, hstsSubdomains: boolean): MiddlewareHandler {
  const hsts = `max-age=31536000${hstsSubdomains ? "; includeSubDomains" : ""}`;
  const entries = Object.entries({
    // For data, files and errors: opened as a document, they load and run nothing.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Origin-Agent-Cluster": "?1",
    // A page in an in-app browser copies its address, to be opened elsewhere.
    "Permissions-Policy": `${unusedFeatures.map((feature) => `${feature}=()`).join(", ")}, clipboard-write=(self)`,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    ...(origin.startsWith("https:") && { "Strict-Transport-Security": hsts }),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  });
  return async function setSecurityHeaders(c, next) {
    await next();
    const { headers } = c.res;
    for (const [name, value] of entries) if (!headers.has(name)) headers.set(name, value);
  };
}
