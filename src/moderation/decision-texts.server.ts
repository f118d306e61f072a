import type { NoteVisibility } from "../reviews/store/visible-notes.server.ts";
import type { DecisionRefusal, DecisionRow, UndoRefusal } from "./store/decisions.server.ts";

// What operators and helpers read of decisions, in commands and on the page of a link.

const kept: Record<NoteVisibility, string> = {
  shown: "The note is shown",
  gone: "The report is closed: the note is gone",
  hidden: "The note was kept, and is hidden again",
  quarantined: "The note is kept, but only its author sees it: the author is in quarantine",
  unlisted: "The note is kept, but only its author sees it: the show is not in the list",
};

/** What a decision has led to. */
export function describeOutcome({ action, visibility, counts }: DecisionRow): string {
  const answer = counts ? ", and the answer still counts" : "";
  if (action === "keep") return kept[visibility];
  if (action === "remove-review") return "The review is removed, and counts no more";
  if (action === "remove-note") return `The note is removed${answer}`;
  const isHidden = visibility === "hidden";
  if (action === "ban")
    return `The author is banned${isHidden ? " and the note is hidden" : ""}; their reviews stay`;
  if (isHidden) return `The note is hidden${answer}`;
  return visibility === "gone"
    ? "The note was hidden, and is gone"
    : "The note is hidden. Another one is in its place";
}

export const refusals: Record<DecisionRefusal, string> = {
  report_not_found: "There is no such report any more: the author's account was deleted.",
  already_decided: "Somebody has decided on this report already.",
  review_gone:
    "Nothing was decided: the author has changed or deleted the note, or objects to its hiding. Look again, and keep the report if nothing is left.",
};

export const undoRefusals: Record<UndoRefusal, string> = {
  no_decision: "There is no such decision.",
  already_undone: "This decision was taken back already.",
  decided_again: "A later decision on the same review, or the same text, stands: take that one back first.",
  reported_again: "The author's note is in the queue again, reported anew: decide on that report instead.",
  not_stored:
    "This cannot be taken back: what it removed is deleted, or the author has written or deleted it since.",
};
