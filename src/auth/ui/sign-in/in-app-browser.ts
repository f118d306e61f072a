/** By operating system: each has its own link to its browser. */
export type InAppBrowser = "android" | "ios" | "other";

const appNames =
  /\b(Instagram|FBA[NV]|FB_IAB|FBIOS|MessengerForiOS|Orca-Android|musical_ly|BytedanceWebview|TikTok|LinkedInApp|Snapchat|Line\/|MicroMessenger|Pinterest[/ ]|Twitter for|TwitterAndroid)/i;

/** Android marks the user agent of every web view. */
const androidWebView = /; wv\)/;

/** On iOS and macOS the user agent of a browser contains `Safari/` or `Chrome/`; a web view's does not. */
const appleWebView = /\b(iPhone|iPad|iPod|Macintosh\b.*\bAppleWebKit)\b(?!.*\b(Safari|Chrome)\/)/;

interface BrowserTraits {
  userAgent: string;
  standalone?: boolean;
  maxTouchPoints?: number;
}

/** Google refuses sign-ins from in-app browsers (`disallowed_useragent`; docs/product.md §6.6). */
export function detectInAppBrowser(browser: BrowserTraits): InAppBrowser | null {
  const { userAgent, standalone, maxTouchPoints } = browser;
  // On Apple's home screens the user agent is a web view's, but Google signs in there.
  if (standalone || globalThis.matchMedia?.("(display-mode: standalone)").matches) return null;
  if (!appNames.test(userAgent) && !androidWebView.test(userAgent) && !appleWebView.test(userAgent))
    return null;
  if (/\bAndroid\b/.test(userAgent)) return "android";
  if (/\b(iPhone|iPad|iPod)\b/.test(userAgent)) return "ios";
  // An iPad claims to be a Mac, which has no touch screen, and no such link.
  return /\bMacintosh\b/.test(userAgent) && maxTouchPoints !== 0 ? "ios" : "other";
}

/** Opens an http(s) URL in the system's browser; null if the system has no such link. */
export function externalBrowserLink(browser: InAppBrowser, address: string): string | null {
  const { protocol, host, pathname, search } = new URL(address);
  const rest = `//${host}${pathname}${search}`;
  if (browser === "android") return `intent:${rest}#Intent;scheme=${protocol.slice(0, -1)};end`;
  return browser === "ios" ? `x-safari-${protocol}${rest}` : null;
}
