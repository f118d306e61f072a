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

/** In ms: how long a pointer must rest on a tally. */
const REST = 150;

/**
 * Notes open when a mouse or stylus rests on a tally, on keyboard focus and on a click (docs/product.md
 * §4.2). They stay open while the row, which contains them, is hovered or focused. Escape closes them (WCAG
 * 1.4.13). Notes that only the focus has opened add no Tab stops, unless they scroll.
 */
export function useOpenNotes(row: RefObject<HTMLElement | null>) {
  const [opened, setOpened] = useState<Interaction | null>(null);
  const [openedByFocus, setOpenedByFocus] = useState(false);
  const hovered = useRef(false);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hasFocus = () => row.current?.contains(document.activeElement);

  function close(): void {
    // Removing the focused element would lose the focus.
    if (hasFocus()) row.current?.querySelector<HTMLElement>("[aria-expanded=true]")?.focus();
    setOpenedByFocus(false);
    setOpened(null);
  }

  const covers = opened !== null && !openedByFocus && matchMedia("(hover: none)").matches;
  const leave = useBackCloses(covers, close);
  useDismiss(row, opened !== null, leave);

  const rowHandlers = {
    onPointerLeave() {
      // A touch opens notes by its click, and they stay when it leaves.
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
      // A tap also focuses, but its click opens.
      if (!target.matches(":focus-visible")) return;
      setOpenedByFocus(true);
      setOpened(interaction);
    },
    // A screen reader focuses before it clicks: the click must not close what the focus has opened.
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
