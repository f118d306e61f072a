import { type ComponentType, createContext, useContext } from "react";
import { isoDay, noteDay } from "../../domain/review-day.ts";
import { useReviews } from "../state/reviews-provider.tsx";
import type { Note } from "../state/sent-review.ts";
import { NoteText } from "./note-text.tsx";

/** Only the server renders the form, so browsers load no script for it. */
export const ReportFormContext = createContext<ComponentType<{ noteId: string }> | null>(null);

interface NoteListProps {
  notes: Note[];
  /** Whether Tab skips the buttons. */
  skipsTab?: boolean;
}

export function NoteList({ notes, skipsTab }: NoteListProps) {
  const { report, reported } = useReviews();
  const ReportForm = useContext(ReportFormContext);
  return (
    <ul className="note-list">
      {notes.map(({ id, notes: text, created_at }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may be equal
        <li key={index}>
          <NoteText text={text} skipsTab={skipsTab} />
          <time dateTime={isoDay(created_at)}>{noteDay(created_at)}</time>
          {id && (
            <>
              <button
                type="button"
                className="note-report"
                tabIndex={skipsTab ? -1 : undefined}
                // The dialog closes a tally's notes, so the focus returns to the tally.
                onClick={({ currentTarget: button }) =>
                  report(
                    { id, text },
                    button.closest(".tallies")?.querySelector("[aria-expanded=true]") ?? button,
                  )
                }
              >
                {reported.has(id) ? "Reported" : "Report"}
                {reported.has(id) && <span aria-hidden="true"> ✓</span>}
              </button>
              <noscript>{ReportForm && <ReportForm noteId={id} />}</noscript>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
