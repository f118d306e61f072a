import { expect, test, vi } from "vitest";
import { detectInAppBrowser, externalBrowserLink } from "./in-app-browser.ts";

const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const ipad = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)";
const webView =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A; wv) AppleWebKit/537.36 (KHTML, like Gecko)";
const android =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile";

const desktop = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/122 Safari/537.36";

test.each([
  ["Instagram", `${iphone} Mobile/15E148 Instagram 339.0.0.12.104 (iPhone15,2; iOS 17_5)`, "ios"],
  ["Facebook", `${iphone} Mobile/15E148 [FBAN/FBIOS;FBAV/467.0.0.40.107;FBBV/601021022;]`, "ios"],
  ["Pinterest", `${iphone} Mobile/15E148 [Pinterest/iOS]`, "ios"],
  ["an iOS app without a name", `${iphone} Mobile/15E148`, "ios"],
  ["Facebook on an iPad, as a browser", `${ipad} Version/17.5 Safari/605.1.15 [FBAN/FBIOS]`, "ios"],
  ["Instagram on an iPad", `${ipad} Instagram 339.0.0.12.104 (iPad14,3; iPadOS 17_5)`, "ios"],
  ["an app without a name on an iPad", ipad, "ios"],
  ["TikTok", `${android} Safari/537.36 musical_ly_2023 BytedanceWebview/d8a21c6`, "android"],
  ["WeChat", `${android} Safari/537.36 MMWEBID/1 MicroMessenger/8.0.50`, "android"],
  ["an Android app without a name", `${webView} Version/4.0 Chrome/131.0 Mobile Safari/537.36`, "android"],
  ["WeChat on a computer", `${desktop} MicroMessenger/7.0`, "other"],
  ["Safari on an iPad", `${ipad} Version/17.5 Safari/605.1.15`, null],
  ["Firefox on an iPad", `${ipad} FxiOS/132.0 Safari/605.1.15`, null],
  ["Chrome on a Mac", `${mac} Chrome/131.0.0.0 Safari/537.36`, null],
  ["an app of Electron on a Mac", `${mac} Chrome/128.0.6613.186 Electron/32.2.7`, null],
  ["Firefox on a Mac", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Firefox/132.0", null],
  ["Safari on a phone", `${iphone} Version/17.5 Mobile/15E148 Safari/604.1`, null],
  ["the Google app on iOS", `${iphone} GSA/344.0 Mobile/15E148 Safari/604.1`, null],
  ["Chrome on Android", `${android} Safari/537.36`, null],
  ["a browser on a computer", desktop, null],
])("%s is an in-app browser of a system, or none: %3$s", (_, userAgent, system) => {
  expect(detectInAppBrowser({ userAgent })).toBe(system);
  // On a home screen: the user agent is that of a web view.
  expect(detectInAppBrowser({ userAgent, standalone: true })).toBeNull();
  expect(detectInAppBrowser({ userAgent, standalone: false })).toBe(system);
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  expect(detectInAppBrowser({ userAgent })).toBeNull();
  vi.unstubAllGlobals();
});

test("a Mac, which has no touch screen, has no link to its browser", () => {
  const found = [0, 5].map((maxTouchPoints) => detectInAppBrowser({ userAgent: ipad, maxTouchPoints }));
  expect(found).toEqual(["other", "ios"]);
});

test("each system has its own link to its browser, or none", () => {
  const address = "https://front-row.example:8443/auth?a=1";
  const expected = "intent://front-row.example:8443/auth?a=1#Intent;scheme=https;end";
  expect(externalBrowserLink("android", address)).toBe(expected);
  expect(externalBrowserLink("ios", address)).toBe("x-safari-https://front-row.example:8443/auth?a=1");
  expect(externalBrowserLink("other", address)).toBeNull();
});
