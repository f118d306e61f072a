import { useEffectEvent, useLayoutEffect, useRef } from "react";
import { useLocation } from "react-router";
import { addCover, type Cover, leaveCover } from "./back-entry-client.ts";

/**
 * Lets Back close what covers the page, while it is open (docs/product.md §1.12). Returns the function by which
 * its buttons and Escape close it.
 */
export function useBackCloses(isOpen: boolean, close: () => void): () => void {
  // A list that comes late, above the entry, gets one of its own.
  const { key } = useLocation();
  const cover = useRef<Cover>(null);
  const onClose = useEffectEvent(close);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every page below
  useLayoutEffect(() => {
    if (!isOpen) return;
    const added = { close: () => onClose() };
    const remove = addCover(added);
    cover.current = added;
    return () => {
      cover.current = null;
      remove();
    };
  }, [isOpen, key]);
  return () => (cover.current ? leaveCover(cover.current) : close());
}
