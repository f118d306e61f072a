import { useEffect } from "react";
import { useToast } from "../ui/toast.tsx";
import { InlineScript } from "./inline-script.tsx";

/**
 * Inlined into the page, because its scripts may be what is gone. When a script cannot be loaded, it asks for
 * the page's manifest, whose name changes with every build. If that is gone, the site was updated.
 */
const checkForUpdate = import.meta.env.SSR
  ? `(function(){
var key="front-row-reloaded";
function manifest(){var link=document.querySelector("link[href*='/assets/manifest-']");return link?link.getAttribute("href"):(window.__reactRouterManifest||{}).url}
function check(){var url=manifest();if(url)fetch(url,{method:"HEAD",cache:"no-store"}).then(function(r){if(r.status===404)update(url)},function(){})}
function update(url){try{if(sessionStorage.getItem(key)!==url){sessionStorage.setItem(key,url);return location.reload()}}catch(e){}dispatchEvent(new Event("site-updated"))}
addEventListener("error",function(e){if(e.target.rel==="modulepreload")check()},true);
addEventListener("vite:preloadError",check)
})()`
  : "";

/**
 * Reloads a page whose scripts are gone because the site was updated, once for each version: a cache may go
 * on sending the old page (docs/product.md §8.8). React Router does so itself for the scripts of a route.
 */
export function UpdateCheck() {
  return <InlineScript text={checkForUpdate} />;
}

/** Says that the site was updated, if the page has reloaded itself in vain. */
export function UpdateNotice() {
  const showToast = useToast();
  useEffect(() => {
    const show = () => showToast(siteUpdated);
    window.addEventListener("site-updated", show);
    return () => window.removeEventListener("site-updated", show);
  }, [showToast]);
  return null;
}

const siteUpdated = {
  title: "The site was updated",
  description: "Please reload the page. What you typed is kept.",
  action: { label: "Reload", run: () => window.location.reload() },
};
