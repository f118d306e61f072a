// Lets Back close what covers the page (docs/product.md §1.12). Loaded with it, or after a reload under it.

declare global {
  interface Window {
    /** Hears Back and Forward before the router does. */
    closeByBack?: (event: PopStateEvent) => void;
  }
}

type Close = () => void;

/** What is open. While anything is, the history has an entry for it, with the address of the page. */
const covers = new Set<Close>();
/** What closes when that entry is left. */
const leaving = new Set<Close>();
let isLeaving = false;
/** The address of the page below the entry, also after a reload; empty if the router shows another one. */
let address = window.location.href;

export function addCover(close: Close): void {
  covers.add(close);
  queueMicrotask(update);
}

export function removeCover(close: Close): void {
  covers.delete(close);
  leaving.delete(close);
  queueMicrotask(update);
}

/** Closes a cover when its entry is left, so that Back works as before from then on. */
export function leaveCover(close: Close): void {
  covers.delete(close);
  // A second press does not wait.
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
    // With the router's key, and the index that it counts on from.
    window.history.pushState({ ...state, idx: state?.idx + 1, cover: true }, "");
  } catch {
    // Browsers limit how many entries a page adds. Without one, Back leads where it did.
  }
}

function onPopState(event: PopStateEvent): void {
  const wasLeaving = isLeaving;
  isLeaving = false;
  if (isOnEntry()) {
    // Its cover is closed: Forward, or Back from a page beyond.
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
  // Something may have been opened meanwhile.
  update();
}

window.closeByBack = onPopState;
update();
