import { InlineScript } from "../../../browser/inline-script.tsx";
import { SESSION_KEY } from "./session-store.ts";

/** Marks the document before first paint: that scripts run, and whether local storage has a session. */
const script = import.meta.env.SSR
  ? `document.documentElement.dataset.scripts="";try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}`
  : "";

/**
 * An inline script that keeps `Sign In` from flashing up for visitors with a session, which `auth.css` hides,
 * and shows what needs scripts (`helpers.css`).
 */
export function SessionMark() {
  return <InlineScript text={script} />;
}
