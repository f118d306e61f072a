import { useEffect } from "react";
import { InlineScript } from "./inline-script.tsx";

declare global {
  interface Window {
    /** The button pressed last while nothing could answer yet; null from when the page can. */
    earlyPress?: HTMLButtonElement | null;
  }
}

/** Small enough to stand in the page itself. Buttons that send a form need no script, and are left alone. */
const remember =
  'addEventListener("click",function(e){if(window.earlyPress!==null)window.earlyPress=e.target.closest("button[type=button]")})';

/** Keeps a press of a button that comes before the page's scripts, and presses again when they are there. */
export function EarlyPress() {
  useEffect(() => {
    const pressed = window.earlyPress;
    window.earlyPress = null;
    pressed?.click();
  }, []);
  return <InlineScript text={remember} />;
}
