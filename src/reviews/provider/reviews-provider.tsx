import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { afterPaint } from "../../browser/after-paint.ts";
import { createApiRequest } from "../../browser/api-request-client.ts";
import { rememberPage } from "../../browser/left-page-client.ts";
import { isProgrammingError, unexpectedError } from "../../browser/programming-error.ts";
import type { ReviewerSession } from "../../browser/signed-in-request.ts";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { reviewCount, type Tallies } from "../../domain/review.ts";
import type { Review, SavedReview } from "../../domain/review-dto.ts";
import type { ListedShow } from "../../domain/show.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { useTallies } from "../card/use-tallies.ts";
import type { NewestNotes } from "../notes/newest-notes.ts";
import type { OpenReport } from "../notes/open-report.ts";
import { useNotes } from "../notes/use-notes.ts";
import type { LoadedReviews } from "../own/loaded-reviews.ts";
import type { AccountActions } from "../own/own-account.tsx";
import { dialogNotLoaded, pressTopic, signInRequired } from "./press-texts.ts";
import type { OpenDialog } from "./reviewer.tsx";
import { type LoadReviewer, useReviewer } from "./use-reviewer.ts";

interface Reviews {
  talliesOf(show: ListedShow): Tallies | undefined;
  notesOf(showId: string): NewestNotes | undefined;
  /** Whether the signed-in user has reviewed the show. */
  isReviewed(showId: string): boolean;
  /** Opens the dialog, which returns the focus to the button; without a session, shows a toast. */
  review(show: ListedShow, button: HTMLElement): void;
  /** Opens the dialog of the user's own reviews, which returns the focus to the button. */
  openOwnReviews(button: HTMLElement): void;
  /** Opens the dialog that reports a note, which returns the focus to the button. */
  report(note: OpenReport["note"], button: HTMLElement): void;
}

/** The state without a provider: the tallies of the list, and nothing about the user. */
const defaultReviews: Reviews = {
  talliesOf: (show) => show.reviews,
  notesOf: () => undefined,
  isReviewed: () => false,
  review: () => {},
  openOwnReviews: () => {},
  report: () => {},
};

const ReviewsContext = createContext(defaultReviews);

/** Returns the reviews of the surrounding `ReviewsProvider`. */
export function useReviews(): Reviews {
  return useContext(ReviewsContext);
}

interface ReviewsProviderProps {
  /** The list on screen. A new list is a new array. */
  shows: ListedShow[];
  /** The notes that came with the page, by show. */
  notes: Readonly<Record<string, ShowNotes>>;
  /** The signed-in user, or null. */
  userId: string | null;
  session: ReviewerSession;
  account: AccountActions;
  clientKey: () => string;
  /** Loads what only signed-in users and reporters of notes need. */
  loadReviewer: LoadReviewer;
  children: ReactNode;
}

const nothingLoaded: LoadedReviews = { userId: null, byShow: new Map() };

/** Provides tallies, notes and reviewing to the cards inside it, and shows the dialog. */
export function ReviewsProvider({
  shows,
  notes,
  userId,
  session,
  account,
  clientKey,
  loadReviewer: load,
  children,
}: ReviewsProviderProps) {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const [request] = useState(() => createApiRequest((...args) => window.fetch(...args), clientKey));
  const [dialog, setDialog] = useState<OpenDialog | OpenReport | null>(null);
  const [talliesOf, addTallies] = useTallies();
  const [notesOf, addToNotes] = useNotes(shows, idsOfReviewed(shows, talliesOf), notes, request);
  const [loaded, setLoaded] = useState(nothingLoaded);
  const [Reviewer, loadReviewer] = useReviewer(userId !== null, load);
  const ownReviews = loaded.userId === userId ? loaded.byShow : nothingLoaded.byShow;

  const openDialog = useCallback(
    async (opened: OpenDialog | OpenReport) => {
      dismissFailure(pressTopic);
      // Opening a modal dialog recalculates the styles of the whole page. Paint the pressed button first.
      await afterPaint();
      setDialog(opened);
      try {
        await loadReviewer();
      } catch (error) {
        setDialog((last) => (last === opened ? null : last));
        showToast(isProgrammingError(error) ? unexpectedError : dialogNotLoaded);
        console.error(error);
      }
    },
    [showToast, dismissFailure, loadReviewer],
  );

  const { endToast } = account;
  const open = useCallback(
    (show: ListedShow | null, button: HTMLElement) => {
      // Read from the session and not from `userId`: a click replayed at hydration comes before that state.
      const { user } = session.current();
      if (!user) {
        rememberPage(button.id);
        return showToast(endToast() ?? signInRequired);
      }
      void openDialog({ show, userId: user.id, button });
    },
    [session, endToast, showToast, openDialog],
  );

  const addSaved = useCallback(
    ({ review, reviews: tallies }: SavedReview, replaced: Review | undefined) => {
      addTallies(review.show_id, tallies);
      addToNotes(review.show_id, { review, revision: tallies.revision }, replaced);
    },
    [addTallies, addToNotes],
  );
  const addRemoved = useCallback(
    (review: Review, tallies: Tallies) => {
      addTallies(review.show_id, tallies);
      addToNotes(review.show_id, { review: null, revision: tallies.revision }, review);
    },
    [addTallies, addToNotes],
  );

  // Another user has signed in in another tab and must not see what was typed: it stays a draft of its
  // author.
  if (dialog && "userId" in dialog && userId !== null && userId !== dialog.userId) setDialog(null);

  const reviews = useMemo(
    () => ({
      talliesOf,
      notesOf,
      isReviewed: (showId: string) => ownReviews.has(showId),
      review: open,
      openOwnReviews: (button: HTMLElement) => open(null, button),
      report: (note: OpenReport["note"], button: HTMLElement) => void openDialog({ note, button }),
    }),
    [talliesOf, notesOf, ownReviews, open, openDialog],
  );
  return (
    <ReviewsContext value={reviews}>
      {children}
      {Reviewer && (
        <Reviewer
          userId={userId}
          session={session}
          request={request}
          account={account}
          dialog={dialog}
          setDialog={setDialog}
          loaded={loaded}
          setLoaded={setLoaded}
          onSaved={addSaved}
          onRemoved={addRemoved}
        />
      )}
    </ReviewsContext>
  );
}

function idsOfReviewed(shows: ListedShow[], talliesOf: Reviews["talliesOf"]): string[] {
  const isReviewed = (tallies: Tallies | undefined) => tallies !== undefined && reviewCount(tallies) > 0;
  return shows.filter((show) => isReviewed(talliesOf(show))).map(({ id }) => id);
}
