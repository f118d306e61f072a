import { type RefObject, useLayoutEffect, useRef } from "react";
import { type Interaction, interactionLabels, interactionMeanings } from "../../domain/review.ts";
import { notesUrl } from "../../domain/show-query.ts";
import { plural } from "../../lib/format.ts";
import { CrossButton } from "../../ui/cross-button.tsx";
import { Link } from "../../ui/link.tsx";
import { pageChange } from "../../ui/pagination.tsx";
import type { ShownNotes } from "../state/sent-review.ts";
import { NoteList } from "./note-list.tsx";

interface TallyNotesProps {
  id: string;
  showId: string;
  interaction: Interaction;
  shown: ShownNotes;
  /** Whether Tab skips the controls inside. */
  skipsTab: boolean;
  close: () => void;
}

/** An item of the list of tallies (docs/product.md §4.2). */
export function TallyNotes({ id, showId, interaction, shown, skipsTab, close }: TallyNotesProps) {
  const box = useRef<HTMLElement>(null);
  const label = interactionLabels[interaction];
  const { total, notes } = shown;
  useFit(box);
  return (
    <li className="tally-open" data-interaction={interaction}>
      <section ref={box} id={id} className="notes" aria-label={`Notes for ${label}`}>
        <h5>{`${plural(notes.length, "note")} for ${label}`}</h5>
        <CrossButton className="notes-close" label="Close notes" onClick={close} />
        <NoteList notes={notes} skipsTab={skipsTab} />
        {total > notes.length && (
          <div className="notes-links row">
            <Link to={notesUrl(showId, interaction)} state={pageChange} tabIndex={skipsTab ? -1 : undefined}>
              {`All ${total} notes for ${label}`}
            </Link>
          </div>
        )}
        <div className="meaning muted">{interactionMeanings[interaction]}</div>
      </section>
    </li>
  );
}

/** In rem: heading, meaning and some lines; between a title and its tallies, at least the first line. */
const MIN_ROOM = 12;
const MIN_ROOM_IN_CARD = 7;
/** In px, to the edge of the window. */
const GAP = 8;
/** Also held sideways. */
const phone = "(hover: none) and (max-width: 43.99em), (hover: none) and (max-height: 30em)";

/**
 * Notes float between title and tallies, where they cover neither the button nor the next card, or below, if
 * there is too little room above. On phones, and where neither has enough, the card makes room for them. Notes
 * that scroll are a Tab stop, for the keyboard.
 */
function useFit(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current: box } = ref;
    const tally = box?.closest(".tallies")?.firstElementChild;
    const title = box?.closest(".card")?.querySelector(".card-title");
    if (!box || !tally || !title) return;
    const { top, bottom } = tally.getBoundingClientRect();
    const titleEnd = title.getBoundingClientRect().bottom;
    const [above, below] = [top - Math.max(GAP, titleEnd), innerHeight - bottom - GAP];
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const needed = titleEnd > GAP ? MIN_ROOM_IN_CARD : MIN_ROOM;
    const side = above >= needed * rem ? "above" : below >= MIN_ROOM * rem ? "below" : "inside";
    const isOpening = !box.dataset.place;
    box.dataset.place = matchMedia(phone).matches ? "inside" : side;
    box.style.setProperty("--room", `${side === "above" ? above : below}px`);
    if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    if (isOpening && box.dataset.place === "inside") box.scrollIntoView({ block: "nearest" });
  });
}
