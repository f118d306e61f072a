import { useEffectEvent, useLayoutEffect, useRef } from "react";
import { useLocation } from "react-router";
import { addCover, leaveCover, removeCover } from "./back-entry.ts";

/** docs/product.md §1.12. Buttons and Escape call the returned function. */
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
