import { SESSION_KEY } from "./session-store.ts";

/**
 * Runs before first paint. Marks the document: scripts run, and whether local storage has a session, so that
 * `Sign In` does not flash (`auth.css`).
 */
export const markSession = import.meta.env.SSR
  ? `(function(){
document.documentElement.dataset.scripts="";try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}
})()`
  : "";
