import { InlineScript } from "../../../browser/inline-script.tsx";
import { RETURN_KEY, SESSION_KEY } from "./session-store.ts";

/**
 * Before first paint: takes the code of a sign-in out of the address bar, into session storage, where
 * `return-client.ts` finds it, after a reload as well if scripts were lost. Then marks the document: that scripts
 * run, and whether local storage has a session.
 */
export const sessionMark = import.meta.env.SSR
  ? `(function(){
var u=new URL(location.href),q=u.searchParams,h=/[#&]code=/.test(u.hash);
if(h||q.has("code")){
try{sessionStorage.setItem("${RETURN_KEY}",u.href)}catch(e){}
["code","error","error_code","error_description","sb_flow_id"].forEach(function(n){q.delete(n)});if(h)u.hash="";
history.replaceState(history.state,"",u)}
document.documentElement.dataset.scripts="";try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}
})()`
  : "";

/** Keeps `Sign In` from flashing up for visitors with a session (`auth.css`), shows what needs scripts. */
export function SessionMark() {
  return <InlineScript text={sessionMark} />;
}
