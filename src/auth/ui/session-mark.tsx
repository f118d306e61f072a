import { InlineScript } from "../../ui/inline-script.tsx";
import { SESSION_KEY } from "./session-store.ts";

/** Marks a page whose visitor has a session, before anything is painted. */
const mark = `try{if(localStorage.getItem("${SESSION_KEY}"))document.documentElement.dataset.session="stored"}catch(e){}`;

/** Keeps what is for people without a session from flashing up for those who have one: `auth.css` hides it. */
export function SessionMark() {
  return <InlineScript text={mark} />;
}
