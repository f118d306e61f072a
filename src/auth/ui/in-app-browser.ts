/** The system around an app's own browser, which decides how one gets out of it. */
export type InAppBrowser = "android" | "ios" | "other";

/** What apps write into the name of the browsers inside them. */
const apps =
  /\b(Instagram|FBA[NV]|FB_IAB|FBIOS|MessengerForiOS|Orca-Android|musical_ly|BytedanceWebview|TikTok|LinkedInApp|Snapchat|Line\/|MicroMessenger|Pinterest[/ ]|Twitter for|TwitterAndroid)/i;

/** Android marks every browser inside an app. */
const androidWebView = /; wv\)/;

/** On iOS every real browser calls itself Safari too. */
const iosWebView = /\b(iPhone|iPad|iPod)\b(?!.*\bSafari\/)/;

/**
 * Which kind of browser inside an app this is, by `navigator.userAgent`; null for a browser of its own. Google refuses to
 * sign people in inside apps (`disallowed_useragent`).
 */
export function detectInAppBrowser(userAgent: string): InAppBrowser | null {
  if (!apps.test(userAgent) && !androidWebView.test(userAgent) && !iosWebView.test(userAgent)) return null;
  if (/\bAndroid\b/.test(userAgent)) return "android";
  return /\b(iPhone|iPad|iPod)\b/.test(userAgent) ? "ios" : "other";
}

/** A link to an http(s) address that leaves the app for the system's browser; null where there is no such link. */
export function externalBrowserLink(browser: InAppBrowser, address: string): string | null {
  const { protocol, host, pathname, search } = new URL(address);
  const rest = `//${host}${pathname}${search}`;
  if (browser === "android") return `intent:${rest}#Intent;scheme=${protocol.slice(0, -1)};end`;
  return browser === "ios" ? `x-safari-${protocol}${rest}` : null;
}
