import { InlineScript } from "../../../browser/inline-script.tsx";
import { SESSION_KEY } from "./session-store.ts";

/** Marks the document before first paint: that scripts run, and whether local storage has a session. */
const script = import.meta.env.SSR
  ? `document.documentElement.dataset.scripts="";try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}`
  : "";

/** Keeps `Sign In` from flashing up for visitors with a session (`auth.css`), shows what needs scripts. */
export function SessionMark() {
  return <InlineScript text={script} />;
}
