import { type RefObject, useEffectEvent, useLayoutEffect } from "react";
import { useBackCloses } from "./use-back-closes.ts";

/**
 * The returned function closes it, and resolves once it is closed. @param focused a selector @param startsThere
 * whether it scrolls to that element, instead of starting at its title
 */
export function useModal(
  ref: RefObject<HTMLDialogElement | null>,
  focused: string,
  startsThere = false,
): () => Promise<void> {
  const leave = useBackCloses(true, () => ref.current?.close());
  const onCancel = useEffectEvent((event: Event) => {
    event.preventDefault();
    leave();
  });
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    dialog.showModal();
    const title = dialog.querySelector("h2");
    (dialog.querySelector<HTMLElement>(focused) ?? title)?.focus();
    const content = dialog.querySelector(".dialog-content");
    // Chromium does not scroll to an element of which a part is in view.
    if (startsThere) dialog.querySelector(":focus")?.scrollIntoView({ block: "nearest" });
    else {
      if (content?.scrollTop) title?.focus({ preventScroll: true });
      content?.scrollTo(0, 0);
    }
    const closed = new AbortController();
    dialog.addEventListener("cancel", onCancel, { signal: closed.signal });
    endAboveKeyboard(dialog, closed.signal);
    return () => closed.abort();
  }, [ref, focused, startsThere]);
  return () =>
    new Promise((resolve) => {
      const dialog = ref.current;
      if (!dialog?.open) return resolve();
      dialog.addEventListener("close", () => resolve(), { once: true });
      leave();
    });
}

/** In px. A lower cover is no keyboard: iOS keeps an offset of the viewport after its keyboard has closed. */
const MIN_KEYBOARD = 40;

function endAboveKeyboard(dialog: HTMLDialogElement, signal: AbortSignal): void {
  const viewport = window.visualViewport;
  function fit({ type }: Event): void {
    if (!viewport) return;
    const covered = document.documentElement.clientHeight - viewport.height;
    // Pinch zoom makes the visual viewport smaller, too, but must not change the dialog.
    const isKeyboard = viewport.scale <= 1 && covered > MIN_KEYBOARD;
    const top = isKeyboard ? viewport.offsetTop : 0;
    const bottom = isKeyboard ? Math.max(0, covered - top) : 0;
    dialog.style.setProperty("--hidden-top", `${top}px`);
    dialog.style.setProperty("--hidden-bottom", `${bottom}px`);
    if (type === "resize" && bottom > 0) dialog.querySelector(":focus")?.scrollIntoView({ block: "nearest" });
  }
  viewport?.addEventListener("resize", fit, { signal });
  viewport?.addEventListener("scroll", fit, { signal });
}
