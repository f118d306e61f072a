import { useState } from "react";
import { type Interaction, interactionLabels, interactions, reviewCount, type Tallies } from "../../domain/review.ts";
import type { NoteTexts } from "./review-api-client.ts";
import { TallyNotes } from "./tally-notes.tsx";

interface TallyRowProps {
  tallies: Tallies;
  /** The newest notes, where they are known. */
  notes: NoteTexts | undefined;
}

/** How many reviews gave each answer, as numbers and as bars that show their part of all, and what they noted. */
export function TallyRow({ tallies, notes }: TallyRowProps) {
  const total = reviewCount(tallies);
  const [opened, setOpened] = useState<Interaction | null>(null);
  // They all open in the same place: one closes the other.
  const setOpen = (interaction: Interaction, open: boolean) =>
    setOpened((last) => (open ? interaction : last === interaction ? null : last));
  return (
    <ul className="tallies">
      {interactions.map((interaction) => (
        <li key={interaction} data-answer={interaction}>
          <span className="tally-count">{tallies[interaction]}</span>{" "}
          <span className="tally-label">{interactionLabels[interaction]}</span>
          <svg className="tally-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect width={percentage(tallies[interaction], total)} height="1" />
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

/** To a tenth: finer would not be seen. */
function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10;
}
