import { useEffect } from "react";
import { InlineScript } from "./inline-script.tsx";

declare global {
  interface Window {
    /** The last button or tally that was clicked; null after hydration. */
    clickBeforeHydration?: HTMLElement | null;
    restoreInput?: () => void;
  }
}

/** Submit buttons work without scripts, so clicks on them are not recorded. */
export const recordInput = import.meta.env.SSR
  ? `(function(){
var typed={},focused,pressed;
function buttons(){return document.querySelectorAll("button[type=button],.tally")}
addEventListener("input",function(e){typed[e.target.id]=e.target},true);
addEventListener("focusin",function(e){focused=e.target});
addEventListener("click",function(e){if(window.clickBeforeHydration===null)return;
pressed=[].indexOf.call(buttons(),window.clickBeforeHydration=e.target.closest("button[type=button],.tally")||undefined)},true);
window.restoreInput=function(){
for(var id in typed){var old=typed[id],now=document.getElementById(id);
if(now&&!old.isConnected){now.value=old.value;now.dispatchEvent(new Event("input",{bubbles:true}))}}
var field=focused&&!focused.isConnected&&document.getElementById(focused.id);
if(field){field.focus({preventScroll:true});if(focused.selectionStart!=null)field.setSelectionRange(focused.selectionStart,focused.selectionEnd)}
if(window.clickBeforeHydration&&!window.clickBeforeHydration.isConnected)window.clickBeforeHydration=buttons()[pressed]
}})()`
  : "";

/** Replays the last click (docs/product.md §1.8). React renders a changed document again (§8.10). */
export function InputBeforeHydration() {
  useEffect(() => {
    const pressed = window.clickBeforeHydration;
    window.clickBeforeHydration = null;
    pressed?.click();
  }, []);
  return <InlineScript text={recordInput} />;
}
