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
 * The notes behind a tally, newest first: pointing at it, reaching it with the keyboard and tapping it open them. They stay
 * while they are pointed at or hold the focus, and Escape closes them (WCAG 1.4.13).
 */
export function TallyNotes({ interaction, notes, open, setOpen }: TallyNotesProps) {
  const pointedAt = useRef(false);
  const openedByFocus = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const label = interactionLabels[interaction];
  useClosing(box, open, () => {
    // What is about to go must not take the focus with it.
    if (box.current?.contains(document.activeElement)) button.current?.focus();
    openedByFocus.current = false;
    setOpen(false);
  });

  function enter({ pointerType }: PointerEvent): void {
    if (pointerType !== "mouse") return;
    pointedAt.current = true;
    setOpen(true);
  }

  function leave({ pointerType }: PointerEvent): void {
    if (pointerType !== "mouse") return;
    pointedAt.current = false;
    if (!box.current?.contains(document.activeElement)) setOpen(false);
  }

  function focus({ target }: FocusEvent): void {
    // A tap focuses, too, and opens by its click.
    if (open || !target.matches(":focus-visible")) return;
    openedByFocus.current = true;
    setOpen(true);
  }

  function blur({ relatedTarget }: FocusEvent): void {
    const stays = relatedTarget instanceof Node && box.current?.contains(relatedTarget);
    if (stays) return;
    openedByFocus.current = false;
    if (!pointedAt.current) setOpen(false);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what it listens for is about the button and the notes in it
    <div ref={box} className="tally-notes" onPointerEnter={enter} onPointerLeave={leave} onFocus={focus} onBlur={blur}>
      <button
        ref={button}
        type="button"
        aria-label={`${plural(notes.length, "note")} for ${label}`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        // What a screen reader presses it focuses first: the press must not close what the focus has opened.
        onClick={() => {
          setOpen(pointedAt.current || openedByFocus.current || !open);
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

/** Plain text as it was written, whatever it looks like. Long notes are scrolled, also with the keyboard. */
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
    >
      {notes.map((note, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two people may note the same
        <p key={place} dir="auto">
          {note}
        </p>
      ))}
    </section>
  );
}

/** Whether to stand above the tallies: below them is no room on the screen, and above them is more. */
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

/** While open, Escape closes wherever the focus is, and so does a press elsewhere. */
function useClosing(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
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
