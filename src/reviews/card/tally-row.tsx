import { Fragment, useId, useRef } from "react";
import type { TallyTexts } from "../../domain/card-texts.ts";
import { interactionLabels, interactions, type Tallies } from "../../domain/review.ts";
import { plural } from "../../lib/format.ts";
import { TallyNotes } from "../notes/tally-notes.tsx";
import { useOpenNotes } from "../notes/use-open-notes.ts";
import type { NewestNotes } from "../state/sent-review.ts";

interface TallyRowProps {
  showId: string;
  tallies: Tallies;
  texts: TallyTexts;
  /** The newest notes; undefined until they are loaded. */
  notes: NewestNotes | undefined;
}

export function TallyRow({ showId, tallies, texts, notes }: TallyRowProps) {
  const row = useRef<HTMLUListElement>(null);
  const notesId = useId();
  const { opened, openedByFocus, close, rowHandlers, tallyHandlers } = useOpenNotes(row);
  return (
    <ul ref={row} className="tallies" {...rowHandlers}>
      {interactions.map((interaction) => {
        const shown = notes?.[interaction];
        const label = interactionLabels[interaction];
        return (
          <Fragment key={interaction}>
            <li className="tally" data-interaction={interaction} {...tallyHandlers(interaction)}>
              <span className="sr-only">{texts.tallySummary(interaction)}</span>
              <span
                className="tally-count"
                data-zero={tallies[interaction] ? undefined : ""}
                aria-hidden="true"
              >
                {tallies[interaction]}
              </span>{" "}
              <span className="tally-label interaction-mark" aria-hidden="true">
                {label}
              </span>
              <svg className="tally-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={percentage(tallies[interaction], texts.total)} height="1" />
              </svg>
              {shown?.notes[0] && (
                <>
                  <button
                    type="button"
                    className="tally-notes"
                    aria-label={`${plural(shown.notes.length, "note")} for ${label}`}
                    aria-expanded={opened === interaction}
                    aria-controls={opened === interaction ? notesId : undefined}
                  />
                  <svg className="tally-mark" viewBox="0 0 16 16" aria-hidden="true">
                    <path d="M2 3h12v8H8l-3.5 3v-3H2z" />
                  </svg>
                </>
              )}
            </li>
            {opened === interaction && shown?.notes[0] && (
              <TallyNotes
                id={notesId}
                showId={showId}
                interaction={interaction}
                shown={shown}
                skipsTab={openedByFocus}
                close={close}
              />
            )}
          </Fragment>
        );
      })}
    </ul>
  );
}

/** With one decimal: enough for a bar. */
function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10;
}
