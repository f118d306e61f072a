import { useEffect } from "react";
import { useToast } from "../ui/toast.tsx";
import { InlineScript } from "./inline-script.tsx";

/**
 * Inlined, because the page's scripts may be what is gone. When a script cannot be loaded, it asks for the
 * manifest, whose name changes with every build. If that is gone, the site was updated. If it is there and an
 * import failed again, the browser may remember the failure, as Firefox does while the page is open.
 */
const checkForUpdate = import.meta.env.SSR
  ? `(function(){
var key="front-row-reloaded",lost=0,last;
try{last=sessionStorage.getItem(key);sessionStorage.removeItem(key)}catch(e){}
function manifest(){var link=document.querySelector("link[href*='/assets/manifest-']");return link?link.getAttribute("href"):(window.__reactRouterManifest||{}).url}
function check(){var url=manifest();if(url)fetch(url,{method:"HEAD",cache:"no-store"}).then(function(r){
if(r.status===404)reload(url)||dispatchEvent(new Event("site-updated"));
else if(lost>1&&/javascript/.test(r.headers.get("content-type")))reload(url)},function(){})}
function reload(url){try{if(last!==url){sessionStorage.setItem(key,url);location.reload();return true}}catch(e){}}
addEventListener("error",function(e){if(e.target.rel==="modulepreload")check()},true);
addEventListener("vite:preloadError",function(){lost++;check()})
})()`
  : "";

/**
 * Reloads a page whose scripts cannot be loaded any more, once for each version: a cache may go on sending
 * the old page (docs/product.md §8.8). React Router does so itself for the scripts of a route.
 */
export function UpdateCheck() {
  return <InlineScript text={checkForUpdate} />;
}

/** For a page that has reloaded itself in vain. */
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
