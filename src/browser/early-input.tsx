import { InlineScript } from "./inline-script.tsx";

declare global {
  interface Window {
    /** Puts back what was typed and pressed before React rendered the document anew. */
    restoreEarlyInput?: () => void;
  }
}

/** Inlined into the page: it costs no script, and hears what comes before scripts are loaded. */
const recordInput = import.meta.env.SSR
  ? `(function(){
var typed={},focused,pressed;
function buttons(){return document.querySelectorAll("button,.tally")}
addEventListener("input",function(e){typed[e.target.id]=e.target},true);
addEventListener("focusin",function(e){focused=e.target});
addEventListener("click",function(e){pressed=[].indexOf.call(buttons(),e.target.closest("button,.tally"))},true);
window.restoreEarlyInput=function(){
for(var id in typed){var old=typed[id],now=document.getElementById(id);
if(now&&!old.isConnected){now.value=old.value;now.dispatchEvent(new Event("input",{bubbles:true}))}}
var field=focused&&!focused.isConnected&&document.getElementById(focused.id);
if(field){field.focus({preventScroll:true});if(focused.selectionStart!=null)field.setSelectionRange(focused.selectionStart,focused.selectionEnd)}
if(window.earlyPress&&!window.earlyPress.isConnected)window.earlyPress=buttons()[pressed]
}})()`
  : "";

/** React renders a document that was changed on its way anew, without text and focus (docs/product.md §8.10). */
export function EarlyInput() {
  return <InlineScript text={recordInput} />;
}
