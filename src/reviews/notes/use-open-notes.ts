import {
  type FocusEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { useBackCloses } from "../../browser/use-back-closes.ts";
import type { Interaction } from "../../domain/review.ts";

/** How long a pointer rests on a tally before its notes open, in ms. */
const REST = 150;

/**
 * Returns the tally whose notes are open, and what opens and closes them: a mouse or a stylus that rests on a
 * tally, keyboard focus, a press (docs/product.md §4.2). They stay open while the row of tallies, which has
 * the notes inside it, is hovered or has the focus, and Escape closes them (WCAG 1.4.13). What only the focus
 * has opened, on its way through the page, adds no Tab stops but what scrolls.
 */
export function useOpenNotes(row: RefObject<HTMLElement | null>) {
  const [opened, setOpened] = useState<Interaction | null>(null);
  const [openedByFocus, setOpenedByFocus] = useState(false);
  const hovered = useRef(false);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hasFocus = () => row.current?.contains(document.activeElement);

  function close(): void {
    // The focus would be lost with the removed element.
    if (hasFocus()) row.current?.querySelector<HTMLElement>("[aria-expanded=true]")?.focus();
    setOpenedByFocus(false);
    setOpened(null);
  }

  const covers = opened !== null && !openedByFocus && matchMedia("(hover: none)").matches;
  const leave = useBackCloses(covers, close);
  useDismiss(row, opened !== null, leave);

  const rowHandlers = {
    onPointerLeave() {
      // A touch only leaves, and has opened the notes to stay.
      if (hovered.current && !hasFocus()) setOpened(null);
      hovered.current = false;
    },
    onBlur({ relatedTarget }: FocusEvent) {
      if (relatedTarget instanceof Node && row.current?.contains(relatedTarget)) return;
      setOpenedByFocus(false);
      if (!hovered.current) setOpened(null);
    },
  };
  const tallyHandlers = (interaction: Interaction) => ({
    onPointerMove({ pointerType }: PointerEvent) {
      if (pointerType === "touch") return;
      hovered.current = true;
      clearTimeout(resting.current);
      resting.current = setTimeout(setOpened, REST, interaction);
    },
    onPointerLeave: () => clearTimeout(resting.current),
    onFocus({ target }: FocusEvent) {
      // A tap also focuses, but opens by its click.
      if (!target.matches(":focus-visible")) return;
      setOpenedByFocus(true);
      setOpened(interaction);
    },
    // A screen reader focuses before it presses: the press must not close what the focus has opened.
    onClick() {
      clearTimeout(resting.current);
      const stays = hovered.current || openedByFocus || opened !== interaction;
      if (!stays) return leave();
      setOpened(interaction);
      setOpenedByFocus(false);
    },
  });
  return { opened, openedByFocus, close: leave, rowHandlers, tallyHandlers };
}

function useDismiss(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  const onKeyDown = useEffectEvent(({ key }: KeyboardEvent) => {
    if (key === "Escape") close();
  });
  const onPointerDown = useEffectEvent(({ target }: Event) => {
    if (target instanceof Node && !box.current?.contains(target)) close();
  });
  useEffect(() => {
    if (!open) return;
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("pointerdown", onPointerDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("pointerdown", onPointerDown);
    };
  }, [open]);
}
