/** By the system, on which the way to the system's browser depends. */
export type InAppBrowser = "android" | "ios" | "other";

const appNames =
  /\b(Instagram|FBA[NV]|FB_IAB|FBIOS|MessengerForiOS|Orca-Android|musical_ly|BytedanceWebview|TikTok|LinkedInApp|Snapchat|Line\/|MicroMessenger|Pinterest[/ ]|Twitter for|TwitterAndroid)/i;

/** Android marks the user agent of every web view. */
const androidWebView = /; wv\)/;

/** On iOS every stand-alone browser has `Safari/` in its user agent; a web view has not. */
const iosWebView = /\b(iPhone|iPad|iPod)\b(?!.*\bSafari\/)/;

interface BrowserTraits {
  userAgent: string;
  standalone?: boolean;
}

/** Google refuses sign-ins from in-app browsers (`disallowed_useragent`; docs/product.md §6.6). */
export function detectInAppBrowser({ userAgent, standalone }: BrowserTraits): InAppBrowser | null {
  // Its user agent is that of a web view, but Google signs in there.
  if (standalone) return null;
  if (!appNames.test(userAgent) && !androidWebView.test(userAgent) && !iosWebView.test(userAgent))
    return null;
  if (/\bAndroid\b/.test(userAgent)) return "android";
  return /\b(iPhone|iPad|iPod)\b/.test(userAgent) ? "ios" : "other";
}

/** Opens an http(s) URL in the system's browser; null if the system has no such link. */
export function externalBrowserLink(browser: InAppBrowser, address: string): string | null {
  const { protocol, host, pathname, search } = new URL(address);
  const rest = `//${host}${pathname}${search}`;
  if (browser === "android") return `intent:${rest}#Intent;scheme=${protocol.slice(0, -1)};end`;
  return browser === "ios" ? `x-safari-${protocol}${rest}` : null;
}
