import * as z from "zod/mini";
import { NOTES_PAGE_SIZE, NOTES_SHOWN } from "./review.ts";
import { count, timestamp } from "./tallies-dto.ts";

/** Reports refer to a note by its `id`. `notes` is its text. */
const note = z.object({ id: z.string(), notes: z.string(), created_at: timestamp });

/** `count` is of reviews, `total` of their notes. */
export const interactionNotes = z.object({
  count: count(),
  total: count(),
  notes: z.array(note).check(z.maxLength(NOTES_SHOWN)),
});

/** `revision` is that of the tallies that count the same reviews. */
const showNotes = z.object({
  no: interactionNotes,
  very_little: interactionNotes,
  yes: interactionNotes,
  revision: count(),
});

/** The response to `GET /api/reviews`, by the show's id. */
export const notesByShow = z.object({ reviews: z.record(z.string(), showNotes) });

/** The response to `GET /api/reviews` with `answer`. `total` counts the notes of all pages. */
export const notesPage = z.object({
  page: z.int().check(z.minimum(1)),
  page_size: z.literal(NOTES_PAGE_SIZE),
  total: count(),
  notes: z.array(note).check(z.maxLength(NOTES_PAGE_SIZE)),
});

export type NotesPage = z.infer<typeof notesPage>;
export type NotesByShow = z.infer<typeof notesByShow>;
export type ShowNotes = z.infer<typeof showNotes>;
