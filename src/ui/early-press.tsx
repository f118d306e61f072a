import { useEffect } from "react";

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
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, and the only way to write a script as it is
  return <script dangerouslySetInnerHTML={{ __html: remember }} />;
}
