import type { MouseEvent } from "react";
import { scriptNotLoaded } from "../browser/site-texts.ts";
import { useToast } from "../ui/toast.tsx";
import type { Toast } from "../ui/toasts.ts";

/** docs/product.md §3.12, §3.15. A click that opens another tab stays a click on a link. */
export function useShare(): (event: MouseEvent) => void {
  const showToast = useToast();
  return (event) => {
    const control =
      event.target instanceof Element && event.target.closest<HTMLElement>(".card-share, .badge-copy");
    if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    share(control, showToast).catch(() => showToast(scriptNotLoaded));
  };
}

async function share(control: HTMLElement, showToast: (toast: Toast) => void): Promise<void> {
  const url = control instanceof HTMLAnchorElement && control.href;
  try {
    const title = control.closest("article")?.querySelector("h3")?.textContent;
    if (navigator.share && url) return await navigator.share({ title: title ?? "", url });
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
  }
  const { copyLink, copyHtml } = await import("../browser/copy-client.ts");
  showToast(
    await (url
      ? copyLink(url, "Paste it wherever you want to share it.")
      : copyHtml(control.getAttribute("value") ?? "")),
  );
}
