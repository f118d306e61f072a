import { CALLBACK_KEY, SESSION_KEY } from "./session-store.ts";

/**
 * Runs before first paint. Moves a sign-in's code from the address bar to session storage, where
 * `capture-callback-client.ts` finds it. If scripts fail to load, it is still there after a reload. Then marks
 * the document: scripts run, and whether local storage has a session, so that `Sign In` does not flash (`auth.css`).
 */
export const sessionMark = import.meta.env.SSR
  ? `(function(){
var u=new URL(location.href),q=u.searchParams,h=/[#&]code=/.test(u.hash);
if(h||q.has("code")){
try{sessionStorage.setItem("${CALLBACK_KEY}",u.href)}catch(e){}
["code","error","error_code","error_description","sb_flow_id"].forEach(function(n){q.delete(n)});if(h)u.hash="";
history.replaceState(history.state,"",u)}
document.documentElement.dataset.scripts="";try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}
})()`
  : "";
