import { useEffectEvent, useLayoutEffect, useRef } from "react";
import { useLocation } from "react-router";

/**
 * Makes Back close what covers the page (docs/product.md §1.12). Buttons and Escape call the returned function. Part of
 * the page's scripts: loaded with the first cover, it could be later than Back.
 */
export function useBackCloses(isOpen: boolean, close: () => void): () => void {
  // A list that loads later, above the entry, gets its own entry.
  const { key } = useLocation();
  const onClose = useEffectEvent(close);
  const cover = useRef<() => void>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every page below
  useLayoutEffect(() => {
    if (!isOpen) return;
    const added = () => onClose();
    cover.current = added;
    addCover(added);
    return () => {
      cover.current = null;
      removeCover(added);
    };
  }, [isOpen, key]);
  return () => (cover.current ? leaveCover(cover.current) : close());
}

type Close = () => void;

/** Open covers. While there are any, the history has an entry for them, with the address of the page. */
const covers = new Set<Close>();
/** Covers that close when the browser has left the entry. */
const leaving = new Set<Close>();
let isLeaving = false;
/** Address of the page below the entry, also after a reload. Empty while the router shows another page. */
let address = import.meta.env.SSR ? "" : window.location.href;

function addCover(close: Close): void {
  covers.add(close);
  queueMicrotask(update);
}

function removeCover(close: Close): void {
  covers.delete(close);
  leaving.delete(close);
  queueMicrotask(update);
}

/** Leaves the entry before it closes a cover, so that Back works as before. */
function leaveCover(close: Close): void {
  covers.delete(close);
  // A second click, while the browser leaves the entry, closes at once.
  if (isLeaving || covers.size > 0 || !isOnEntry()) close();
  else {
    leaving.add(close);
    update();
  }
}

function isOnEntry(): boolean {
  return window.history.state?.cover === true;
}

function update(): void {
  if (isLeaving || covers.size > 0 === isOnEntry()) return;
  if (covers.size === 0) {
    isLeaving = true;
    window.history.back();
    return;
  }
  const { state } = window.history;
  address = window.location.href;
  try {
    // Keeps the router's key, and continues its index.
    window.history.pushState({ ...state, idx: state?.idx + 1, cover: true }, "");
  } catch {
    // Browsers limit the entries that a page adds. Without one, Back leads where it did before.
  }
}

function onPopState(event: PopStateEvent): void {
  const wasLeaving = isLeaving;
  isLeaving = false;
  if (isOnEntry()) {
    // The cover has been closed: Forward, or Back from a later page, led here.
    if (covers.size > 0) return;
    event.stopImmediatePropagation();
    address = "";
    update();
    return;
  }
  const closing = wasLeaving ? [...leaving] : [...leaving, ...covers];
  if (closing.length === 0 && !wasLeaving) return;
  if (window.location.href === address) event.stopImmediatePropagation();
  for (const close of closing) {
    covers.delete(close);
    leaving.delete(close);
    close();
  }
  // A cover may have been opened meanwhile.
  update();
}

if (!import.meta.env.SSR) {
  // Before the router, which listens once its page renders.
  window.addEventListener("popstate", onPopState);
  // The page was reloaded under a cover.
  update();
}
