import { useSyncExternalStore } from "react";
import { copyLink } from "../../../browser/copy-client.ts";
import { recallReturnTo } from "../../../browser/return-to-client.ts";
import { useToast } from "../../../ui/toast.tsx";
import { detectInAppBrowser, externalBrowserLink } from "./in-app-browser.ts";

/** Ways to open the return-to page in the system's browser (docs/product.md §6.6). */
export function InAppNotice() {
  const browser = useSyncExternalStore(
    subscribeToNothing,
    () => detectInAppBrowser(navigator),
    () => null,
  );
  const showToast = useToast();
  if (!browser) return null;
  const { origin, pathname } = window.location;
  const address = origin + (recallReturnTo()?.address ?? pathname);
  const externalLink = externalBrowserLink(browser, address);

  const copy = async () => showToast(await copyLink(address, "Paste it into your browser."));
  const ways = [
    externalLink && (
      <a key="open" className="button" href={externalLink}>
        Open in your browser
      </a>
    ),
    <button key="copy" type="button" className="button" onClick={copy}>
      Copy the link
    </button>,
  ];
  return (
    <div className="welcome-note callout row">
      <p>Inside this app, Google refuses to sign people in. In your browser it works.</p>
      {/* Many apps on Android ignore the link. */}
      {browser === "android" ? ways.reverse() : ways}
    </div>
  );
}

const subscribeToNothing = () => () => {};
