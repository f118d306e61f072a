import {
  type ComponentType,
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { afterPaint } from "../../browser/after-paint.ts";
import { isProgrammingError, unexpectedError } from "../../browser/programming-error.ts";
import type { ApiRequest } from "../../browser/requests/api-request-client.ts";
import type { UserSession } from "../../browser/requests/signed-in-request.ts";
import { rememberReturnTo } from "../../browser/return-to-client.ts";
import { RETRY_INTERVAL, useRetry } from "../../browser/use-retry.ts";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { reviewCount, type Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { errorToast, type Toast } from "../../ui/toasts.ts";
import type { ReviewedShow } from "../dialog/review-dialog.tsx";
import { useNotes } from "../notes/use-notes.ts";
import type { AccountActions } from "../own/own-account.tsx";
import type { OwnReviews } from "../own/use-own-reviews.ts";
import { useWaitingCount, waitingKeys } from "../waiting/waiting-count.ts";
import { type NewestNotes, newestNotes, newestTallies, type SentReview } from "./sent-review.ts";

interface Reviews {
  /** `isReviewed`: by the signed-in user. */
  reviewsOf(show: ListedShow): {
    tallies: Tallies | undefined;
    notes: NewestNotes | undefined;
    isReviewed: boolean;
  };
  /** Opens the dialog, which later returns the focus to the button. Without a session it shows a toast. */
  review(show: ListedShow, button: HTMLElement): void;
  openOwnReviews(button: HTMLElement): void;
  notSent: number;
  /** Asks if signing out would remove waiting reviews. Returns whether it asks. */
  asksBeforeSignOut(button: HTMLElement): boolean;
  report(note: ReportedNote, button: HTMLElement): void;
}

const ReviewsContext = createContext<Reviews | null>(null);

export function useReviews(): Reviews {
  const reviews = useContext(ReviewsContext);
  if (!reviews) throw new Error("No ReviewsProvider");
  return reviews;
}

interface ReportedNote {
  id: string;
  text: string;
}

/** `button` gets the focus back. `show` is null for the user's own reviews. */
type OpenDialog = { button: HTMLElement } & (
  | { show: ReviewedShow | null; userId: string }
  | { signOut: true; userId: string }
  | { note: ReportedNote }
);

export interface DialogsProps {
  userId: string | null;
  session: UserSession;
  account: AccountActions;
  request: ApiRequest;
  dialog: OpenDialog | null;
  setDialog: (dialog: OpenDialog | null) => void;
  loaded: OwnReviews;
  setLoaded: Dispatch<SetStateAction<OwnReviews>>;
  onSent: (sent: SentReview) => void;
}

type Dialogs = ComponentType<DialogsProps>;
type LoadDialogs = () => Promise<{ Dialogs: Dialogs }>;

interface ReviewsProviderProps {
  /** The list on screen. A new list is a new array. */
  shows: ListedShow[];
  notes: Readonly<Record<string, ShowNotes>>;
  userId: string | null;
  session: UserSession;
  account: AccountActions;
  request: ApiRequest;
  loadDialogs: LoadDialogs;
  children: ReactNode;
}

const nothingSent: ReadonlyMap<string, SentReview> = new Map();
const nothingLoaded: OwnReviews = { userId: null, byShow: new Map() };

export function ReviewsProvider(props: ReviewsProviderProps) {
  const { shows, notes, userId, session, account, request, loadDialogs, children } = props;
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [sent, setSent] = useState(nothingSent);
  const reviewed = shows.filter(({ id, reviews: listed }) =>
    hasReviews(newestTallies(listed, sent.get(id)?.tallies)),
  );
  const loadedNotes = useNotes(shows, reviewed, notes, request);
  const [loaded, setLoaded] = useState(nothingLoaded);
  const [Dialogs, load] = useDialogs(loadDialogs, userId !== null);
  const notSent = useWaitingCount(userId);
  const ownReviews = loaded.userId === userId ? loaded.byShow : nothingLoaded.byShow;

  const openDialog = useCallback(
    async (opened: OpenDialog) => {
      dismissFailure(pressTopic);
      // Opening a modal dialog recalculates the styles of the whole page. Paint the clicked button first.
      await afterPaint();
      setDialog(opened);
      try {
        await load();
      } catch (error) {
        setDialog((last) => (last === opened ? null : last));
        showToast(isProgrammingError(error) ? unexpectedError : dialogNotLoaded);
        console.error(error);
      }
    },
    [showToast, dismissFailure, load],
  );

  const open = useCallback(
    (show: ListedShow | null, button: HTMLElement) => {
      // Not from `userId`: a click before hydration is replayed before that state is set.
      const { user } = session.current();
      if (!user) {
        rememberReturnTo(button.id);
        return showToast(session.endToast() ?? signInRequired);
      }
      void openDialog({ show, userId: user.id, button });
    },
    [session, showToast, openDialog],
  );

  // In another tab, another user has signed in, who must not see the author's draft.
  if (dialog && "userId" in dialog && userId !== null && userId !== dialog.userId) setDialog(null);

  const reviews = useMemo(
    () => ({
      reviewsOf: ({ id, reviews: listed }: ListedShow) => ({
        tallies: newestTallies(listed, sent.get(id)?.tallies),
        notes: newestNotes(loadedNotes.get(id), sent.get(id)),
        isReviewed: ownReviews.has(id),
      }),
      review: open,
      openOwnReviews: (button: HTMLElement) => open(null, button),
      notSent,
      asksBeforeSignOut(button: HTMLElement) {
        if (userId === null || waitingKeys(userId).length === 0) return false;
        void openDialog({ signOut: true, userId, button });
        return true;
      },
      report: (note: ReportedNote, button: HTMLElement) => void openDialog({ note, button }),
    }),
    [loadedNotes, sent, ownReviews, open, openDialog, notSent, userId],
  );
  return (
    <ReviewsContext value={reviews}>
      {children}
      {Dialogs && (
        <Dialogs
          userId={userId}
          session={session}
          request={request}
          account={account}
          dialog={dialog}
          setDialog={setDialog}
          loaded={loaded}
          setLoaded={setLoaded}
          onSent={(newest) => setSent((last) => new Map(last).set(newest.review.show_id, newest))}
        />
      )}
    </ReviewsContext>
  );
}

function hasReviews(tallies: Tallies | undefined): boolean {
  return tallies !== undefined && reviewCount(tallies) > 0;
}

/** Loads once a user is signed in, so that dialogs open at once, also offline. */
function useDialogs(loadDialogs: LoadDialogs, signedIn: boolean): [Dialogs | null, () => Promise<void>] {
  const [loaded, setLoaded] = useState<Dialogs | null>(null);
  const [failed, setFailed] = useState(false);
  const load = useCallback(async () => {
    try {
      const { Dialogs } = await loadDialogs();
      setLoaded(() => Dialogs);
      setFailed(false);
    } catch (error) {
      setFailed(true);
      throw error;
    }
  }, [loadDialogs]);
  const loadAhead = useCallback(() => {
    load().catch((error) => console.error("Reviewing could not be loaded:", error));
  }, [load]);
  useEffect(() => {
    if (signedIn) loadAhead();
  }, [signedIn, loadAhead]);
  // The dialogs' script sends waiting reviews.
  useRetry(signedIn && failed ? RETRY_INTERVAL : null, loadAhead);
  return [loaded, load];
}

/** docs/product.md §5.1 */
const signInRequired: Toast = {
  title: "Sign in required",
  description: "Please sign in to review shows.",
  action: { label: "Sign in", href: "/auth" },
};

const pressTopic = "press";

const dialogNotLoaded = errorToast("This could not be loaded. Please try again.", pressTopic);
