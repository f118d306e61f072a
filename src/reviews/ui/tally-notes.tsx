import {
  type FocusEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type Interaction, interactionLabels } from "../../domain/review.ts";
import { plural } from "../../ui/plural.ts";

interface TallyNotesProps {
  interaction: Interaction;
  notes: string[];
  open: boolean;
  setOpen: (open: boolean) => void;
}

/**
 * The notes of a tally, newest first (docs/product.md §4.2). Hover, keyboard focus and a tap open them. They
 * stay open while hovered or focused, and Escape closes them (WCAG 1.4.13).
 */
export function TallyNotes({ interaction, notes, open, setOpen }: TallyNotesProps) {
  const hovered = useRef(false);
  const openedByFocus = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const label = interactionLabels[interaction];
  useDismiss(box, open, () => {
    // The focus would be lost with the removed element.
    if (box.current?.contains(document.activeElement)) button.current?.focus();
    openedByFocus.current = false;
    setOpen(false);
  });

  function enter({ pointerType }: PointerEvent): void {
    if (pointerType !== "mouse") return;
    hovered.current = true;
    setOpen(true);
  }

  function leave({ pointerType }: PointerEvent): void {
    if (pointerType !== "mouse") return;
    hovered.current = false;
    if (!box.current?.contains(document.activeElement)) setOpen(false);
  }

  function focus({ target }: FocusEvent): void {
    // A tap also focuses, but opens by its click.
    if (open || !target.matches(":focus-visible")) return;
    openedByFocus.current = true;
    setOpen(true);
  }

  function blur({ relatedTarget }: FocusEvent): void {
    const stays = relatedTarget instanceof Node && box.current?.contains(relatedTarget);
    if (stays) return;
    openedByFocus.current = false;
    if (!hovered.current) setOpen(false);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers serve the button and the notes inside
    <div
      ref={box}
      className="tally-notes"
      onPointerEnter={enter}
      onPointerLeave={leave}
      onFocus={focus}
      onBlur={blur}
    >
      <button
        ref={button}
        type="button"
        aria-label={`${plural(notes.length, "note")} for ${label}`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        // A screen reader focuses before it presses: the press must not close what the focus has opened.
        onClick={() => {
          setOpen(hovered.current || openedByFocus.current || !open);
          openedByFocus.current = false;
        }}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 3h12v8H8l-3.5 3v-3H2z" />
        </svg>
      </button>
      {open && <Notes id={id} label={label} notes={notes} />}
    </div>
  );
}

/** The opened notes, as plain text. Long notes scroll, also with the keyboard. */
function Notes({ id, label, notes }: { id: string; label: string; notes: string[] }) {
  const box = useRef<HTMLElement>(null);
  const above = useIsAbove(box);
  return (
    <section
      ref={box}
      id={id}
      className="notes"
      data-above={above || undefined}
      aria-label={`Notes for ${label}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
    >
      <NoteParagraphs notes={notes} />
    </section>
  );
}

/** Notes as plain text, newest first. */
export function NoteParagraphs({ notes }: { notes: string[] }) {
  return notes.map((note, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two notes may be equal
    <p key={index} dir="auto">
      {note}
    </p>
  ));
}

/** Whether to open above the tallies: there is too little room below them, and more above. */
function useIsAbove(box: RefObject<HTMLElement | null>): boolean {
  const [above, setAbove] = useState(false);
  useLayoutEffect(() => {
    const tallies = box.current?.offsetParent?.getBoundingClientRect();
    if (!box.current || !tallies) return;
    const room = window.innerHeight - tallies.bottom;
    setAbove(box.current.offsetHeight > room && tallies.top > room);
  }, [box]);
  return above;
}

/** While open, closes on Escape, wherever the focus is, and on a press outside. */
function useDismiss(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    function onKeyDown({ key }: KeyboardEvent): void {
      if (key === "Escape") close();
    }
    function onPointerDown({ target }: Event): void {
      if (target instanceof Node && !box.current?.contains(target)) close();
    }
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("pointerdown", onPointerDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("pointerdown", onPointerDown);
    };
  }, [box, open, close]);
}
