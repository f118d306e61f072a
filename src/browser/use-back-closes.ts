import { useEffectEvent, useLayoutEffect, useRef } from "react";
import { useLocation } from "react-router";

let entry: typeof import("./back-entry-client.ts") | undefined;

/** docs/product.md §1.12. Buttons and Escape call the returned function. */
export function useBackCloses(isOpen: boolean, close: () => void): () => void {
  // A list that loads later, above the entry, gets its own entry.
  const { key } = useLocation();
  const leave = useRef<() => void>(null);
  const onClose = useEffectEvent(close);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every page below
  useLayoutEffect(() => {
    if (!isOpen) return;
    const cover = () => onClose();
    let isClosed = false;
    function add(): void {
      if (isClosed) return;
      entry?.addCover(cover);
      leave.current = () => entry?.leaveCover(cover);
    }
    if (entry) add();
    else
      import("./back-entry-client.ts").then(
        (loaded) => {
          entry = loaded;
          add();
        },
        (error) => console.error("Back will not close this:", error),
      );
    return () => {
      isClosed = true;
      leave.current = null;
      entry?.removeCover(cover);
    };
  }, [isOpen, key]);
  return () => (leave.current ? leave.current() : close());
}
