import { useEffect, useEffectEvent, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { orNull } from "../../../browser/storage.ts";
import { useToast } from "../../../ui/toast.tsx";
import { signInFailed } from "../auth-texts.ts";
import type { SessionClient } from "../session/session-client.ts";
import { SESSION_KEY } from "../session/session-store.ts";
import type { OAuthCallback, StartedSignIn } from "./finish-sign-in-client.ts";

/** Session storage key of this tab's sign-in: where it was started, then what it came back with. */
const SIGN_IN_KEY = "front-row-sign-in";

/**
 * Runs before first paint, on a refusal's page, too. Moves a callback from the address bar to session storage,
 * where it survives scripts that fail to load. Leaves an error that no sign-in of this tab or browser led to.
 */
export const keepOAuthCallback = import.meta.env.SSR
  ? `(function(){
var u=new URL(location.href),q=u.searchParams,f=new URLSearchParams(u.hash.slice(1)),returned={},kept,own,
names=["code","error","error_code","error_description"],within=function(p){return names.some(function(n){return p.has(n)})};
if(!within(q)&&!within(f))return;
names.concat("sb_flow_id").forEach(function(n){var v=q.has(n)?q.get(n):f.get(n);if(v!==null)returned[n]=v;q.delete(n)});
if(within(f))u.hash="";
try{kept=JSON.parse(sessionStorage.getItem("${SIGN_IN_KEY}"))}catch(e){}
try{own=localStorage.getItem("${SESSION_KEY}-flow-"+returned.sb_flow_id+"-code-verifier")}catch(e){}
if(returned.code===void 0&&!kept&&!own)return;
kept=kept||{};kept.returned=returned;returned.pathname=u.pathname;
try{sessionStorage.setItem("${SIGN_IN_KEY}",JSON.stringify(kept))}catch(e){}
history.replaceState(history.state,"",u)
})()`
  : "";

/** Finishes a sign-in after the provider's redirect. Shows a failure where the sign-in was started. */
export function useOAuthCallback(client: SessionClient, operatorEmail: string | null): void {
  const showToast = useToast();
  const replacePage = useReplacePage();
  const finish = useEffectEvent(async () => {
    const callback = takeOAuthCallback();
    if (!callback) return;
    const script = await import("./finish-sign-in-client.ts").catch(console.error);
    if (script) return script.finishSignIn(callback, { client, operatorEmail, replacePage, showToast });
    // A reload tries again.
    keepSignIn(callback);
    if (callback.place) showToast(signInFailed(callback.place));
  });
  useEffect(() => {
    void finish();
  }, []);
}

/** Null if this page load is no callback. Then the sign-in that this tab has started was abandoned. */
export function takeOAuthCallback(): OAuthCallback | null {
  const kept = orNull(() => JSON.parse(window.sessionStorage.getItem(SIGN_IN_KEY) ?? "null"));
  orNull(() => window.sessionStorage.removeItem(SIGN_IN_KEY));
  return kept?.returned ? kept : null;
}

/** Without storage a failure is reported on the list, which is acceptable (docs/product.md §6.3). */
export function keepSignIn(signIn: StartedSignIn | OAuthCallback): void {
  orNull(() => window.sessionStorage.setItem(SIGN_IN_KEY, JSON.stringify(signIn)));
}

function useReplacePage(): (address: string) => Promise<void> {
  const navigate = useNavigate();
  const { key } = useLocation();
  const onShown = useRef<() => void>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every history entry
  useEffect(() => onShown.current?.(), [key]);
  return (address) =>
    new Promise((resolve) => {
      onShown.current = resolve;
      void navigate(address, { replace: true, preventScrollReset: true });
    });
}
