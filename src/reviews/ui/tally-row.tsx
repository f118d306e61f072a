import { useState } from "react";
import type { ReviewWords } from "../../domain/interaction-words.ts";
import { type Interaction, interactionLabels, interactions, type Tallies } from "../../domain/review.ts";
import type { NoteTexts } from "./newest-notes.ts";
import { TallyNotes } from "./tally-notes.tsx";

interface TallyRowProps {
  tallies: Tallies;
  words: ReviewWords;
  /** The newest notes; undefined until they are loaded. */
  notes: NoteTexts | undefined;
}

/** The tallies: count, label and share of each interaction, with their notes (docs/product.md §3.5, §4). */
export function TallyRow({ tallies, words, notes }: TallyRowProps) {
  const [opened, setOpened] = useState<Interaction | null>(null);
  // All notes open in the same place, so at most one is open.
  const setOpen = (interaction: Interaction, open: boolean) =>
    setOpened((last) => (open ? interaction : last === interaction ? null : last));
  return (
    <ul className="tallies">
      {interactions.map((interaction) => (
        <li key={interaction} data-answer={interaction}>
          <span className="sr-only">{words.tallyOf(interaction)}</span>
          <span className="tally-count" aria-hidden="true">
            {tallies[interaction]}
          </span>{" "}
          <span className="tally-label" aria-hidden="true">
            {interactionLabels[interaction]}
          </span>
          <svg className="tally-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect width={percentage(tallies[interaction], words.total)} height="1" />
          </svg>
          {notes && notes[interaction].length > 0 && (
            <TallyNotes
              interaction={interaction}
              notes={notes[interaction]}
              open={opened === interaction}
              setOpen={(open) => setOpen(interaction, open)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** A percentage with one decimal: enough for a bar. */
function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10;
}
