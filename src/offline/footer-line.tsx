import { useEffect, useState } from "react";
import { formatDayTime } from "../lib/format.ts";
import { loadSaving } from "./find-saved.ts";
import type { Saved } from "./saving-client.ts";
import { isSavingOff, turnSaving } from "./saving-switch.ts";

/** In ms: the page and the visitor's first actions come before saving. */
const SAVE_DELAY = 5_000;

/** A page that is never idle must not wait for ever. */
const MAX_BUSY = { timeout: 5_000 };

/** In the footer: saves the list for use offline, and says when it was saved (docs/product.md §14.1). */
export function SavedLine() {
  const [isIdle, setIsIdle] = useState(false);
  const [isOff, setIsOff] = useState(false);
  const [saved, setSaved] = useState<Saved>(null);
  const [isPressed, setIsPressed] = useState(false);
  useEffect(() => {
    const update = () => setIsOff(isSavingOff());
    update();
    window.addEventListener("storage", update);
    // Safari has no idle callbacks.
    const whenIdle = window.requestIdleCallback ?? ((callback) => window.setTimeout(callback));
    const timer = window.setTimeout(() => whenIdle(() => setIsIdle(true), MAX_BUSY), SAVE_DELAY);
    return () => {
      window.removeEventListener("storage", update);
      clearTimeout(timer);
    };
  }, []);
  const isOffered = saved !== "off";
  useEffect(() => {
    if (!isIdle || !isOffered) return;
    // If the script cannot be loaded, nothing is saved, which is no failure of this page.
    const update = () => {
      if (!document.hidden)
        loadSaving()
          .then(({ saveList, removeSaved }) => (isOff ? removeSaved() : saveList()))
          .then(setSaved)
          .catch(() => {});
    };
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, [isIdle, isOff, isOffered]);
  function toggle(): void {
    turnSaving(isOff);
    setIsOff(!isOff);
    setIsPressed(true);
    setIsIdle(true);
  }
  if (!isOffered || (saved === null && !isOff && !isPressed)) return null;
  const text = saved === null ? "Not saved for offline yet" : `Saved for offline: ${formatDayTime(saved)}`;
  return (
    <p className="saved-line row">
      {!isOff && <span>{text}</span>}
      <button key="switch" type="button" onClick={toggle}>
        {isOff ? "Save for offline" : "Remove"}
      </button>
    </p>
  );
}
