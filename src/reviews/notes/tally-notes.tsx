import { type RefObject, useLayoutEffect, useRef } from "react";
import { type Interaction, interactionLabels, interactionMeanings } from "../../domain/review.ts";
import { CrossButton } from "../../ui/cross-button.tsx";
import type { Note } from "../provider/sent-review.ts";
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

/** In px. With less room above the tallies, notes open below. */
const MIN_ROOM = 128;

/**
 * Fits floating notes into the room above the tallies, where they cover neither the button nor the next card.
 * With too little room they open below. Notes that scroll are a Tab stop, for the keyboard.
 */
function useFit(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current: box } = ref;
    const row = box?.closest(".tallies");
    if (!box || !row) return;
    const room = row.getBoundingClientRect().top;
    box.style.setProperty("--room", `${room - 8}px`);
    box.toggleAttribute("data-below", room < MIN_ROOM);
    if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
}
