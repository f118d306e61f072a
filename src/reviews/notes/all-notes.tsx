import type { NotesPage } from "../../domain/notes-dto.ts";
import { type Interaction, interactionLabels } from "../../domain/review.ts";
import { notesUrl, showUrl } from "../../domain/show-query.ts";
import { plural } from "../../lib/format.ts";
import { Link } from "../../ui/link.tsx";
import { pageChange } from "../../ui/pagination.tsx";
import { NoteList } from "./note-list.tsx";

interface AllNotesProps {
  showId: string;
  interaction: Interaction;
  page: NotesPage;
}

export function AllNotes({ showId, interaction, page: { page, page_size, total, notes } }: AllNotesProps) {
  const last = Math.ceil(total / page_size);
  return (
    <section className="open-notes" data-interaction={interaction}>
      <h4 className="interaction-mark">{`${plural(total, "note")} for ${interactionLabels[interaction]}`}</h4>
      {last > 1 && <p className="muted">{`Page ${page} of ${last}, newest first`}</p>}
      <NoteList notes={notes} />
      <p className="notes-links row">
        {page > 1 && (
          <Link to={notesUrl(showId, interaction, page - 1)} state={pageChange} preventScrollReset>
            Newer
          </Link>
        )}
        {page < last && (
          <Link to={notesUrl(showId, interaction, page + 1)} state={pageChange} preventScrollReset>
            Older
          </Link>
        )}
        <Link to={showUrl(showId)} state={pageChange} preventScrollReset>
          Back to the show
        </Link>
      </p>
    </section>
  );
}
