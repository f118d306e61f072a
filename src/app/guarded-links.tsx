import { useEffect } from "react";
import { isSiteReachable } from "../browser/requests/reach-site-client.ts";
import { pageNotLoaded } from "../browser/site-texts.ts";
import { isPageSaved } from "../offline/find-saved.ts";
import { useToast } from "../ui/toast.tsx";

/** `/auth` is the router's, and needs a script of its own. */
const guarded = ["/auth", "/terms", "/privacy"];

/** docs/product.md §6.3: on a phone's home screen, the browser's error page has no way back. */
export function GuardedLinks() {
  const showToast = useToast();
  useEffect(() => {
    let allowed: Element | null = null;
    async function onClick(event: MouseEvent): Promise<void> {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link || link === allowed || link.origin !== window.location.origin) return;
      const opensElsewhere =
        event.button > 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (opensElsewhere || !guarded.includes(link.pathname)) return;
      event.preventDefault();
      event.stopPropagation();
      if (!(await isPageSaved(link.pathname)) && !(await isSiteReachable())) return showToast(pageNotLoaded);
      allowed = link;
      link.click();
      allowed = null;
    }
    // Before the router's.
    window.addEventListener("click", onClick, { capture: true });
    return () => window.removeEventListener("click", onClick, { capture: true });
  }, [showToast]);
  return null;
}
