import * as z from "zod/mini";
import { type Interaction, interactions } from "../domain/review.ts";

/** The unsent content of the review form. */
export interface Draft {
  interaction: Interaction;
  notes: string;
}

/** The initial content of the form (docs/product.md §5.4). */
export const emptyDraft: Draft = { interaction: "no", notes: "" };

type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

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
  storage: () => DraftStorage,
  { showId, userId }: { showId: string; userId: string },
): DraftStore {
  const store = createTextsStore(storage, draftKey(userId, showId));

  function read(): Draft {
    const [chosen, notes = ""] = store.read() ?? [];
    const interaction = interactions.find((option) => option === chosen);
    return interaction ? { interaction, notes } : emptyDraft;
  }
  return {
    read,
    discard: store.discard,
    save: ({ interaction, notes }) => store.save([interaction, notes]),
    discardSent(sent) {
      const { interaction, notes } = read();
      if (interaction === sent.interaction && notes === sent.notes) store.discard();
    },
  };
}

/** Creates the store of one form's texts in this tab. Without working storage it stores nothing. */
export function createTextsStore(storage: () => DraftStorage, key: string) {
  return {
    read: () => attempt(() => storedTexts.parse(JSON.parse(storage().getItem(key) ?? "null"))),
    save: (texts: string[]) => void attempt(() => storage().setItem(key, JSON.stringify(texts))),
    discard: () => void attempt(() => storage().removeItem(key)),
  };
}

/** Discards all drafts of a user in this tab. */
export function discardDraftsOf(userId: string, storage: () => Storage): void {
  attempt(() => {
    const keys = Object.keys(storage()).filter((key) => key.startsWith(draftKey(userId, "")));
    for (const key of keys) storage().removeItem(key);
  });
}

/** The key of what a user, or a visitor without a session, types about a show or a note. */
export function draftKey(userId: string, about: string): string {
  return `front-row-draft ${userId} ${about}`;
}

const storedTexts = z.array(z.string());

function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
