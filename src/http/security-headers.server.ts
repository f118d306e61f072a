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

/** What a script might ask a visitor for, or use behind their back, and nothing here needs. */
const unusedFeatures = [
  "camera",
  "clipboardRead",
  "displayCapture",
  "geolocation",
  "hid",
  "idleDetection",
  "localFonts",
  "microphone",
  "midi",
  "payment",
  "publickeyCredentialsGet",
  "screenWakeLock",
  "serial",
  "usb",
  "windowManagement",
  "xrSpatialTracking",
] as const;
