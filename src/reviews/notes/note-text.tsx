import { type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { shownText } from "../../domain/shown-text.ts";

/** Longer texts have `Show all`; without scripts they scroll (docs/product.md §4.3). */
export function NoteText({ text, skipsTab }: { text: string; skipsTab?: boolean | undefined }) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const isLong = useIsLong(box, isOpen);
  return (
    <div className="note-text">
      <div ref={box} id={id} className="note-box" data-open={isOpen || undefined}>
        <p dir="auto">{shownText(text)}</p>
      </div>
      {isLong && (
        <button
          type="button"
          className="note-more"
          aria-expanded={isOpen}
          aria-controls={id}
          tabIndex={skipsTab ? -1 : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          Show all
        </button>
      )}
    </div>
  );
}

/** Whether the text is higher than its closed box, which has no scroll bar when scripts run. */
function useIsLong(ref: RefObject<HTMLDivElement | null>, isOpen: boolean): boolean {
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const box = ref.current;
    const text = box?.firstElementChild;
    if (!box || !text || isOpen) return;
    const measure = () => setLong(text.clientHeight > box.clientHeight);
    box.toggleAttribute("data-clipped", true);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(text);
    return () => observer.disconnect();
  }, [ref, isOpen]);
  return isLong;
}
