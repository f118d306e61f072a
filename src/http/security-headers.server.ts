import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

/**
 * Puts the headers on every answer that keep browsers from doing more with it than is meant. What an answer has set itself
 * stays as it is: a page's own policy for its scripts (`page-policy.server.ts`), a stricter referrer policy.
 */
export function sendSecurityHeaders(origin: string): MiddlewareHandler {
  return secureHeaders({
    overwrite: false,
    // For what is no page: data, files, errors. Shown as a document, they load and run nothing.
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    strictTransportSecurity: origin.startsWith("https:"),
    referrerPolicy: "strict-origin-when-cross-origin",
    xFrameOptions: "DENY",
    // For browsers and plug-ins that are gone, or, as prefetching, off by itself on https: each costs time with every answer.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    permissionsPolicy: {
      ...Object.fromEntries(unusedFeatures.map((feature) => [feature, false])),
      // The way out of an app's own browser copies the page's address (`auth/in-app-notice.tsx`).
      clipboardWrite: ["self"],
    },
  });
}

/**
 * What a script might ask a visitor for, or use behind their back, and nothing here needs; as far as Chromium knows it on every
 * system: of `bluetooth` and `web-share` it complains on Linux.
 */
const unusedFeatures = [
  "accelerometer",
  "browsingTopics",
  "camera",
  "clipboardRead",
  "computePressure",
  "digitalCredentialsGet",
  "displayCapture",
  "encryptedMedia",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "identityCredentialsGet",
  "idleDetection",
  "keyboardMap",
  "localFonts",
  "magnetometer",
  "microphone",
  "midi",
  "otpCredentials",
  "payment",
  "publickeyCredentialsGet",
  "screenWakeLock",
  "serial",
  "speakerSelection",
  "storageAccess",
  "usb",
  "windowManagement",
  "xrSpatialTracking",
] as const;
