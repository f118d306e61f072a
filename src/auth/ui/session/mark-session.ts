import { keepOAuthCallback } from "../sign-in/oauth-callback.ts";
import { SESSION_KEY } from "./session-store.ts";

/**
 * Runs before first paint. After `keepOAuthCallback`, marks the document: scripts run, and whether local storage
 * has a session, so that `Sign In` does not flash (`auth.css`).
 */
export const markSession = import.meta.env.SSR
  ? `${keepOAuthCallback};(function(){
document.documentElement.dataset.scripts="";try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}
})()`
  : "";
