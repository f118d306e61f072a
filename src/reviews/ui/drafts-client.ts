import * as z from "zod/mini";
import { type Answer, answers } from "../../domain/review.ts";

/** What somebody has filled in for a show. */
export interface Draft {
  answer: Answer;
  notes: string;
}

/** As the dialog starts (docs/product.md §5.4). */
export const emptyDraft: Draft = { answer: "no", notes: "" };

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
    keep: ({ answer, notes }) => void attempt(() => storage().setItem(key, JSON.stringify([answer, notes]))),
    dropSent(sent) {
      const { answer, notes } = read();
      if (answer === sent.answer && notes === sent.notes) drop();
    },
  };
}

/** The answer and the notes. */
const storedDraft = z.array(z.string());

function readDraft(stored: string | null): Draft | null {
  if (stored === null) return null;
  const [kept, notes = ""] = storedDraft.parse(JSON.parse(stored));
  const answer = answers.find((answer) => answer === kept);
  return answer ? { answer, notes } : null;
}

function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
