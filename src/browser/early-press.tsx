import { useEffect } from "react";
import { InlineScript } from "./inline-script.tsx";

declare global {
  interface Window {
    /** The last button or tally pressed before hydration; null after hydration. */
    earlyPress?: HTMLElement | null;
  }
}

/** Submit buttons work without scripts, so it ignores them. */
const recordPress = import.meta.env.SSR
  ? 'addEventListener("click",function(e){if(window.earlyPress!==null)window.earlyPress=e.target.closest("button[type=button],.tally")})'
  : "";

/** Replays at hydration the last press of a button or a tally that came before it (docs/product.md §1.8). */
export function EarlyPress() {
  useEffect(() => {
    const pressed = window.earlyPress;
    window.earlyPress = null;
    pressed?.click();
  }, []);
  return <InlineScript text={recordPress} />;
}
