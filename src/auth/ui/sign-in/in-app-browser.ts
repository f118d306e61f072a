/** By operating system: each has its own link to its browser. */
export type InAppBrowser = "android" | "ios" | "other";

const appNames =
  /\b(Instagram|FBA[NV]|FB_IAB|FBIOS|MessengerForiOS|Orca-Android|musical_ly|BytedanceWebview|TikTok|LinkedInApp|Snapchat|Line\/|MicroMessenger|Pinterest[/ ]|Twitter for|TwitterAndroid)/i;

/** Android marks the user agent of every web view. */
const androidWebView = /; wv\)/;

/** On iOS the user agent of a browser contains `Safari/`; a web view's does not. */
const iosWebView = /\b(iPhone|iPad|iPod)\b(?!.*\bSafari\/)/;

interface BrowserTraits {
  userAgent: string;
  standalone?: boolean;
}

/** Google refuses sign-ins from in-app browsers (`disallowed_useragent`; docs/product.md §6.6). */
export function detectInAppBrowser({ userAgent, standalone }: BrowserTraits): InAppBrowser | null {
  // On the home screen of iOS the user agent is a web view's, but Google signs in there.
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
