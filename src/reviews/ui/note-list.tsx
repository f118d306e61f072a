import type { Note } from "./newest-notes.ts";
import { noteDay } from "./note-day.ts";

/** Notes as plain text, newest first, each with its day (docs/product.md §4.3). */
export function NoteList({ notes }: { notes: Note[] }) {
  return (
    <ul className="note-list">
      {notes.map(({ notes: text, created_at }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may be equal
        <li key={index}>
          <p dir="auto">{text}</p>
          <time dateTime={created_at.slice(0, 10)}>{noteDay(created_at)}</time>
        </li>
      ))}
    </ul>
  );
}
