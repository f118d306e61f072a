import * as z from "zod/mini";
import { type Interaction, interactions } from "../../domain/review.ts";

/** What somebody has filled in for a show. */
export interface Draft {
  interaction: Interaction;
  notes: string;
}

/** As the dialog starts (docs/product.md §5.4). */
export const emptyDraft: Draft = { interaction: "no", notes: "" };

/** What somebody has begun to write about a show, kept in this tab until it is sent or given up. */
export interface DraftKeeper {
  read(): Draft;
  keep(draft: Draft): void;
  drop(): void;
  /** Forgets a draft that has been sent, unless it has been changed since. */
  dropSent(sent: Draft): void;
}

/** Another user of the same tab does not see it. Storage that throws keeps nothing. */
export function keeperOf(
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
  { showId, userId }: { showId: string; userId: string },
): DraftKeeper {
  const key = `front-row-draft ${userId} ${showId}`;

  function read(): Draft {
    return attempt(() => readDraft(storage().getItem(key))) ?? emptyDraft;
  }
  function drop(): void {
    attempt(() => storage().removeItem(key));
  }
  return {
    read,
    drop,
    keep: ({ interaction, notes }) => void attempt(() => storage().setItem(key, JSON.stringify([interaction, notes]))),
    dropSent(sent) {
      const { interaction, notes } = read();
      if (interaction === sent.interaction && notes === sent.notes) drop();
    },
  };
}

/** The answer and the notes. */
const storedDraft = z.array(z.string());

function readDraft(stored: string | null): Draft | null {
  if (stored === null) return null;
  const [kept, notes = ""] = storedDraft.parse(JSON.parse(stored));
  const interaction = interactions.find((interaction) => interaction === kept);
  return interaction ? { interaction, notes } : null;
}

function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
