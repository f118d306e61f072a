import { type RefObject, useLayoutEffect, useRef } from "react";
import { type Interaction, interactionLabels, interactionMeanings } from "../../domain/review.ts";
import { CrossButton } from "../../ui/cross-button.tsx";
import type { Note } from "../state/sent-review.ts";
import { NoteList } from "./note-list.tsx";

interface TallyNotesProps {
  id: string;
  interaction: Interaction;
  notes: Note[];
  /** Whether Tab skips the controls inside. */
  isPassed: boolean;
  close: () => void;
}

/** An item of the list of tallies (docs/product.md §4.2). */
export function TallyNotes({ id, interaction, notes, isPassed, close }: TallyNotesProps) {
  const box = useRef<HTMLElement>(null);
  const label = interactionLabels[interaction];
  useFit(box);
  return (
    <li className="tally-open" data-interaction={interaction}>
      <section ref={box} id={id} className="notes" aria-label={`Notes for ${label}`}>
        <div className="meaning muted">{interactionMeanings[interaction]}</div>
        <h5>{`${label} · the ${notes.length > 1 ? `${notes.length} ` : ""}newest`}</h5>
        <CrossButton className="notes-close" label="Close notes" onClick={close} />
        <NoteList notes={notes} isPassed={isPassed} />
      </section>
    </li>
  );
}

/** In rem: heading, meaning and some lines. */
const MIN_ROOM = 12;
/** In px, to the edge of the window. */
const GAP = 8;
/** Also held sideways. */
const phone = "(hover: none) and (max-width: 43.99em), (hover: none) and (max-height: 30em)";

/**
 * Notes float above the tallies, where they cover neither the button nor the next card, or below, if there is
 * too little room above. On phones, and where neither has enough, the card makes room for them. Notes that
 * scroll are a Tab stop, for the keyboard.
 */
function useFit(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current: box } = ref;
    const tally = box?.closest(".tallies")?.firstElementChild;
    if (!box || !tally) return;
    const { top, bottom } = tally.getBoundingClientRect();
    const [above, below] = [top - GAP, innerHeight - bottom - GAP];
    const needed = MIN_ROOM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const side = above >= needed ? "above" : below >= needed ? "below" : "inside";
    box.dataset.place = matchMedia(phone).matches ? "inside" : side;
    box.style.setProperty("--room", `${side === "above" ? above : below}px`);
    if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
}
