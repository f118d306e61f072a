import type { MouseEvent } from "react";
import { useToast } from "../ui/toast.tsx";
import type { Toast } from "../ui/toasts.ts";

/** docs/product.md §3.12. A click that opens another tab stays a click on a link. */
export function useShare(): (event: MouseEvent) => void {
  const showToast = useToast();
  return (event) => {
    const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>("a.card-share");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // If the script cannot be loaded, the link is followed.
    share(link, showToast).catch(() => window.location.assign(link.href));
  };
}

async function share(link: HTMLAnchorElement, showToast: (toast: Toast) => void): Promise<void> {
  const url = link.href;
  try {
    const title = link.closest("article")?.querySelector("h3")?.textContent;
    if (navigator.share) return await navigator.share({ title: title ?? "", url });
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
  }
  const { copyLink } = await import("../browser/copy-link-client.ts");
  showToast(await copyLink(url, "Paste it wherever you want to share it."));
}
