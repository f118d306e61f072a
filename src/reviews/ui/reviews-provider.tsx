import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { reviewCount, type Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { afterPaint } from "../../ui/after-paint.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { Draft } from "./drafts-client.ts";
import type { NoteTexts } from "./newest-notes.ts";
import { createReviewApi, type Outcome, type ReviewerSession } from "./review-api-client.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import {
  authenticationRequired,
  notesTooLong,
  signInRequired,
  submissionTopic,
  submitFailed,
  submitted,
} from "./review-texts.ts";
import { useNotes } from "./use-notes.ts";
import { useOwnReviews } from "./use-own-reviews.ts";
import { useTallies } from "./use-tallies.ts";

interface Reviews {
  talliesOf(show: ListedShow): Tallies | undefined;
  notesOf(showId: string): NoteTexts | undefined;
  /** Whether the signed-in user has reviewed the show. */
  isReviewed(showId: string): boolean;
  /** Opens the dialog, which returns the focus to the button; without a session, shows a toast. */
  review(show: ListedShow, button: HTMLElement): void;
}

/** The state without a provider: the tallies of the list, and nothing about the user. */
const defaultReviews: Reviews = {
  talliesOf: (show) => show.reviews,
  notesOf: () => undefined,
  isReviewed: () => false,
  review: () => {},
};

const ReviewsContext = createContext(defaultReviews);

/** Returns the reviews of the surrounding `ReviewsProvider`. */
export function useReviews(): Reviews {
  return useContext(ReviewsContext);
}

interface ReviewsProviderProps {
  /** The list on screen. A new list is a new array. */
  shows: ListedShow[];
  /** When the list was requested, by `performance.now()`; 0 when it came with the page. */
  requestedAt: number;
  /** The signed-in user, or null. */
  userId: string | null;
  session: ReviewerSession;
  clientKey: () => string;
  children: ReactNode;
}

interface OpenDialog {
  show: ListedShow;
  userId: string;
  button: HTMLElement;
}

/** Provides tallies, notes and reviewing to the cards inside it, and shows the dialog. */
export function ReviewsProvider({
  shows,
  requestedAt,
  userId,
  session,
  clientKey,
  children,
}: ReviewsProviderProps) {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const [api] = useState(() =>
    createReviewApi({ fetch: (...request) => window.fetch(...request), clientKey, session }),
  );
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [talliesOf, addTallies] = useTallies(requestedAt);
  const [notesOf, addToNotes] = useNotes(shows, idsOfReviewed(shows, talliesOf), api);
  const { byShow: ownReviews, add: addOwnReview, reload: reloadOwnReviews } = useOwnReviews(userId, api);

  const review = useCallback(
    async (show: ListedShow, button: HTMLElement) => {
      // Read from the session and not from `userId`: a click replayed at hydration comes before that state.
      const { user } = session.current();
      if (!user) return showToast(signInRequired);
      // Opening a modal dialog recalculates the styles of the whole page. Paint the pressed button first.
      await afterPaint();
      setDialog({ show, userId: user.id, button });
      reloadOwnReviews();
    },
    [session, showToast, reloadOwnReviews],
  );

  async function submit({ show, userId }: OpenDialog, draft: Draft): Promise<Outcome["kind"]> {
    dismissFailure(submissionTopic);
    const outcome = await api.submit({ showId: show.id, userId, ...draft });
    if (outcome.kind === "saved") {
      const { review, reviews: tallies } = outcome.saved;
      addTallies(show.id, tallies);
      addToNotes(review, ownReviews.get(show.id));
      addOwnReview(userId, review);
    }
    showToast(toastOf[outcome.kind]);
    return outcome.kind;
  }

  function close({ button }: OpenDialog): void {
    setDialog(null);
    // Safari does not focus a clicked button, so the dialog cannot restore the focus by itself.
    if (button.isConnected) button.focus({ preventScroll: true });
    else document.getElementById("shows")?.focus({ preventScroll: true });
  }

  // Another user has signed in in another tab and must not see what was typed: it stays a draft of its
  // author.
  if (dialog && userId !== null && userId !== dialog.userId) setDialog(null);

  const reviews = useMemo(
    () => ({
      talliesOf,
      notesOf,
      isReviewed: (showId: string) => ownReviews.has(showId),
      review,
    }),
    [talliesOf, notesOf, ownReviews, review],
  );
  return (
    <ReviewsContext value={reviews}>
      {children}
      {dialog && (
        <ReviewDialog
          key={`${dialog.userId} ${dialog.show.id}`}
          show={dialog.show}
          userId={dialog.userId}
          replaces={ownReviews.has(dialog.show.id)}
          isSignedIn={() => session.current().user?.id === dialog.userId}
          submit={(draft) => submit(dialog, draft)}
          onClosed={() => close(dialog)}
        />
      )}
    </ReviewsContext>
  );
}

const toastOf = {
  saved: submitted,
  "signed-out": authenticationRequired,
  "too-long": notesTooLong,
  failed: submitFailed,
};

function idsOfReviewed(shows: ListedShow[], talliesOf: Reviews["talliesOf"]): string[] {
  const isReviewed = (tallies: Tallies | undefined) => tallies !== undefined && reviewCount(tallies) > 0;
  return shows.filter((show) => isReviewed(talliesOf(show))).map(({ id }) => id);
}
