import { InlineScript } from "../../ui/inline-script.tsx";
import { SESSION_KEY } from "./session-store.ts";

/** Marks the document before first paint if local storage has a session. */
const script = import.meta.env.SSR
  ? `try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}`
  : "";

/**
 * An inline script that keeps `Sign In` from flashing up for visitors with a session: `auth.css` hides it.
 */
export function SessionMark() {
  return <InlineScript text={script} />;
}
