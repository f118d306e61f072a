import { interactionLabels, interactions } from "../../domain/review.ts";
import type { NewestNotes } from "./newest-notes.ts";
import { NoteList } from "./note-list.tsx";

/** All newest notes of a show, on the page that it has for itself (docs/product.md §4.6). */
export function OpenNotes({ notes }: { notes: NewestNotes }) {
  return interactions
    .filter((interaction) => notes[interaction].length > 0)
    .map((interaction) => (
      <section key={interaction} className="open-notes" data-answer={interaction}>
        <h5>{`Notes for ${interactionLabels[interaction]}`}</h5>
        <NoteList notes={notes[interaction]} />
      </section>
    ));
}
