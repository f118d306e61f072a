import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { reviewCount, type Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { painted } from "../../ui/after-paint.ts";
import { useTakeBackFailure, useToast } from "../../ui/toast.tsx";
import type { Draft } from "./drafts-client.ts";
import { createReviewApi, type NoteTexts, type Outcome, type ReviewerSession } from "./review-api-client.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import {
  aboutSending,
  authenticationRequired,
  notesTooLong,
  signInRequired,
  submitFailed,
  submitted,
} from "./review-texts.ts";
import { useNotes } from "./use-notes.ts";
import { useReviewedShows } from "./use-reviewed-shows.ts";
import { useTallies } from "./use-tallies.ts";

interface Reviews {
  talliesOf(show: ListedShow): Tallies | undefined;
  notesOf(showId: string): NoteTexts | undefined;
  /** The signed-in user has reviewed it. */
  isReviewed(showId: string): boolean;
  /** Opens the dialog, which gives the focus back to the button, or asks to sign in. */
  review(show: ListedShow, button: HTMLElement): void;
}

/** What is known before anybody looks, as the page is rendered for everybody: what came with the list. */
const asListed: Reviews = {
  talliesOf: (show) => show.reviews,
  notesOf: () => undefined,
  isReviewed: () => false,
  review: () => {},
};

const ReviewsContext = createContext(asListed);

export function useReviews(): Reviews {
  return useContext(ReviewsContext);
}

interface ReviewsProviderProps {
  /** The list on screen; another one is another array. */
  shows: ListedShow[];
  /** When it was asked for, by `performance.now()`; 0 when it came with the page. */
  askedAt: number;
  /** Who is signed in, or null. */
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

/** What the cards inside it show and do about reviews, and the dialog. */
export function ReviewsProvider({ shows, askedAt, userId, session, clientKey, children }: ReviewsProviderProps) {
  const showToast = useToast();
  const takeBackFailure = useTakeBackFailure();
  const [api] = useState(() =>
    createReviewApi({ fetch: (...request) => window.fetch(...request), clientKey, session }),
  );
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [talliesOf, addTallies] = useTallies(askedAt);
  const [notes, reloadNotes] = useNotes(shows, idsOfReviewed(shows, talliesOf), api);
  const { showIds: reviewedShows, add: addReviewedShow, reload: reloadReviewedShows } = useReviewedShows(userId, api);

  const review = useCallback(
    async (show: ListedShow, button: HTMLElement) => {
      // Asked at the press: one that came before the page was interactive finds no state of this component yet.
      const { user } = session.current();
      if (!user) return showToast(signInRequired);
      // For a modal dialog the browser makes the style of all that is on the page anew.
      await painted();
      setDialog({ show, userId: user.id, button });
      reloadReviewedShows();
    },
    [session, showToast, reloadReviewedShows],
  );

  async function submit({ show, userId }: OpenDialog, draft: Draft): Promise<Outcome["kind"]> {
    takeBackFailure(aboutSending);
    const outcome = await api.submit({ showId: show.id, userId, ...draft });
    if (outcome.kind === "saved") {
      addTallies(show.id, outcome.tallies);
      addReviewedShow(userId, show.id);
      reloadNotes();
    }
    showToast(toastOf[outcome.kind]);
    return outcome.kind;
  }

  function close({ button }: OpenDialog): void {
    setDialog(null);
    // Browsers that do not focus what is clicked have nothing to give the focus back to.
    if (button.isConnected) button.focus({ preventScroll: true });
    else document.getElementById("shows")?.focus({ preventScroll: true });
  }

  // Somebody else has signed in, in another tab: what was typed is not for their eyes. It is kept for who typed it.
  if (dialog && userId !== null && userId !== dialog.userId) setDialog(null);

  const reviews = useMemo(
    () => ({
      talliesOf,
      notesOf: (showId: string) => notes.get(showId),
      isReviewed: (showId: string) => reviewedShows.has(showId),
      review,
    }),
    [talliesOf, notes, reviewedShows, review],
  );
  return (
    <ReviewsContext value={reviews}>
      {children}
      {dialog && (
        <ReviewDialog
          key={`${dialog.userId} ${dialog.show.id}`}
          show={dialog.show}
          userId={dialog.userId}
          replaces={reviewedShows.has(dialog.show.id)}
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
