import { useSyncExternalStore } from "react";
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

/** Copies a text and returns whether that worked. Old in-app browsers can only copy the selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
