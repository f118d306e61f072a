import { useState } from "react";
import { type Answer, answerLabels, answers, reviewCount, type Tallies } from "../../domain/review.ts";
import type { ShowNotes } from "./review-api-client.ts";
import { TallyNotes } from "./tally-notes.tsx";

interface TallyRowProps {
  tallies: Tallies;
  /** The newest notes, where they are known. */
  notes: ShowNotes | undefined;
}

/** How many reviews gave each answer, as numbers and as bars that show their part of all, and what they noted. */
export function TallyRow({ tallies, notes }: TallyRowProps) {
  const total = reviewCount(tallies);
  const [opened, setOpened] = useState<Answer | null>(null);
  // They all open in the same place: one closes the other.
  const setOpen = (answer: Answer, open: boolean) =>
    setOpened((last) => (open ? answer : last === answer ? null : last));
  return (
    <ul className="tallies">
      {answers.map((answer) => (
        <li key={answer} data-answer={answer}>
          <span className="tally-count">{tallies[answer]}</span>{" "}
          <span className="tally-label">{answerLabels[answer]}</span>
          <svg className="tally-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect width={percentage(tallies[answer], total)} height="1" />
          </svg>
          {notes && notes[answer].length > 0 && (
            <TallyNotes
              answer={answer}
              notes={notes[answer]}
              open={opened === answer}
              setOpen={(open) => setOpen(answer, open)}
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
