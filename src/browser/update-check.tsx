import { useEffect } from "react";
import { useToast } from "../ui/toast.tsx";
import { siteUpdated } from "./site-texts.ts";

/**
 * Runs when a script fails to load. If the list of the build's files is 404, the site was updated. Otherwise Firefox
 * may repeat an earlier failure of an import, until a reload. Reloads once for each version: a cache may still send the
 * old page (docs/product.md §8.8).
 */
export const checkForUpdate = import.meta.env.SSR
  ? `(function(){
var key="front-row-reloaded",lost=0,last;
try{last=sessionStorage.getItem(key);sessionStorage.removeItem(key)}catch(e){}
function check(){var url="/assets/files-"+document.documentElement.dataset.build+".json";fetch(url,{method:"HEAD",cache:"no-store"}).then(function(r){
if(r.status===404)reload(url)||dispatchEvent(new Event("site-updated"));
else if(lost>1&&/json/.test(r.headers.get("content-type")))reload(url)},function(){})}
function reload(url){try{if(last!==url){sessionStorage.setItem(key,url);location.reload();return true}}catch(e){}}
addEventListener("error",function(e){if(e.target.type==="module")check()},true);
addEventListener("vite:preloadError",function(){lost++;check()})
})()`
  : "";

export function UpdateNotice() {
  const showToast = useToast();
  useEffect(() => {
    const show = () => showToast(siteUpdated);
    window.addEventListener("site-updated", show);
    return () => window.removeEventListener("site-updated", show);
  }, [showToast]);
  return null;
}
