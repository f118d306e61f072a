import * as z from "zod/mini";
import { type Interaction, interactions } from "../../domain/review.ts";

/** The unsent content of the review form. */
export interface Draft {
  interaction: Interaction;
  notes: string;
}

/** The initial content of the form (docs/product.md §5.4). */
export const emptyDraft: Draft = { interaction: "no", notes: "" };

/**
 * Stores the draft of one user and show in this tab, until it is sent or cancelled (docs/product.md §5.13).
 */
export interface DraftStore {
  read(): Draft;
  save(draft: Draft): void;
  discard(): void;
  /** Discards the draft that was sent, unless it has changed since. */
  discardSent(sent: Draft): void;
}

/** Creates the store of one user and show. Without working storage it stores nothing. */
export function createDraftStore(
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
  { showId, userId }: { showId: string; userId: string },
): DraftStore {
  const key = draftKey(userId, showId);

  function read(): Draft {
    return attempt(() => parseDraft(storage().getItem(key))) ?? emptyDraft;
  }
  function discard(): void {
    attempt(() => storage().removeItem(key));
  }
  return {
    read,
    discard,
    save: ({ interaction, notes }) =>
      void attempt(() => storage().setItem(key, JSON.stringify([interaction, notes]))),
    discardSent(sent) {
      const { interaction, notes } = read();
      if (interaction === sent.interaction && notes === sent.notes) discard();
    },
  };
}

/** Discards all drafts of a user in this tab. */
export function discardDraftsOf(userId: string, storage: () => Storage): void {
  attempt(() => {
    const keys = Object.keys(storage()).filter((key) => key.startsWith(draftKey(userId, "")));
    for (const key of keys) storage().removeItem(key);
  });
}

function draftKey(userId: string, showId: string): string {
  return `front-row-draft ${userId} ${showId}`;
}

/** Interaction and notes. */
const storedDraft = z.array(z.string());

function parseDraft(stored: string | null): Draft | null {
  if (stored === null) return null;
  const [chosen, notes = ""] = storedDraft.parse(JSON.parse(stored));
  const interaction = interactions.find((option) => option === chosen);
  return interaction ? { interaction, notes } : null;
}

function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
