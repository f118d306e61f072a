import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { Link } from "react-router";
import {
  type Interaction,
  interactionLabels,
  interactionMeanings,
  NOTES_SHOWN,
} from "../../domain/review.ts";
import { notesUrl } from "../../domain/show-query.ts";
import { plural } from "../../lib/format.ts";
import { CrossButton } from "../../ui/cross-button.tsx";
import { pageChange } from "../../ui/pagination.tsx";
import type { Note } from "../state/sent-review.ts";
import { NoteList } from "./note-list.tsx";

interface TallyNotesProps {
  id: string;
  showId: string;
  interaction: Interaction;
  notes: Note[];
  /** Whether Tab skips the controls inside. */
  skipsTab: boolean;
  close: () => void;
}

/** An item of the list of tallies (docs/product.md §4.2). */
export function TallyNotes({ id, showId, interaction, notes, skipsTab, close }: TallyNotesProps) {
  const box = useRef<HTMLElement>(null);
  const label = interactionLabels[interaction];
  useFit(box);
  useEffect(() => {
    if (box.current?.dataset.place === "inside") box.current.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <li className="tally-open" data-interaction={interaction}>
      <section ref={box} id={id} className="notes" aria-label={`Notes for ${label}`}>
        <h5>{`${plural(notes.length, "note")} for ${label}`}</h5>
        <CrossButton className="notes-close" label="Close notes" onClick={close} />
        <NoteList notes={notes} skipsTab={skipsTab} />
        {notes.length === NOTES_SHOWN && (
          <div className="notes-links row">
            <Link to={notesUrl(showId, interaction)} state={pageChange} tabIndex={skipsTab ? -1 : undefined}>
              {`All notes for ${label}`}
            </Link>
          </div>
        )}
        <div className="meaning muted">{interactionMeanings[interaction]}</div>
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
