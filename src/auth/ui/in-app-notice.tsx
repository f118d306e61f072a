import { useSyncExternalStore } from "react";
import { copyText } from "../../ui/copy-text-client.ts";
import { useToast } from "../../ui/toast.tsx";
import { detectInAppBrowser, externalBrowserLink } from "./in-app-browser.ts";

/** The ways out of an in-app browser (docs/product.md §6.6). Empty until hydration, and in other browsers. */
export function InAppNotice() {
  const browser = useSyncExternalStore(subscribeToNothing, readBrowser, () => null);
  const showToast = useToast();
  if (!browser) return null;
  const address = window.location.origin + window.location.pathname;
  const externalLink = externalBrowserLink(browser, address);

  async function copy(): Promise<void> {
    const copied = await copyText(address);
    showToast(
      copied
        ? { title: "Link copied", description: "Paste it into your browser." }
        : { title: "The link could not be copied", description: address, destructive: true },
    );
  }

  return (
    <div className="welcome-note">
      <p>Inside this app, Google refuses to sign people in. In your browser it works.</p>
      {externalLink && (
        <a className="button" href={externalLink}>
          Open in your browser
        </a>
      )}
      <button type="button" className="button" onClick={copy}>
        Copy the link
      </button>
    </div>
  );
}

function subscribeToNothing(): () => void {
  return () => {};
}

function readBrowser() {
  return detectInAppBrowser(navigator.userAgent);
}
