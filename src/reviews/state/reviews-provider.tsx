import {
  type ComponentType,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useState,
} from "react";
import { afterPaint } from "../../browser/after-paint.ts";
import { isProgrammingError } from "../../browser/programming-error.ts";
import { rememberReturnTo } from "../../browser/return-to-client.ts";
import { unexpectedError } from "../../browser/site-texts.ts";
import { useLoad } from "../../browser/use-load.ts";
import type { ShowNotes } from "../../domain/notes-dto.ts";
import { reviewCount, type Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import { loadNotes } from "./load-notes.ts";
import { dialogNotLoaded, pressTopic, signInRequired } from "./press-texts.ts";
import type { OpenDialog, OwnReviews, ReportedNote, ReviewedShow, ReviewState } from "./review-state.ts";
import { type NewestNotes, newestNotes, newestTallies, type SentReview } from "./sent-review.ts";
import { useWaitingCount, waitingKeys } from "./waiting-count.ts";

interface Reviews {
  /** `isReviewed`: by the signed-in user. `isWaiting`: a review of the show is not sent yet. */
  reviewsOf(show: ListedShow): {
    tallies: Tallies | undefined;
    notes: NewestNotes | undefined;
    isReviewed: boolean;
    isWaiting: boolean;
  };
  /** Opens the dialog, which later returns the focus to the button. Without a session it shows a toast. */
  review(show: ListedShow, button: HTMLElement): void;
  openOwnReviews(button: HTMLElement): void;
  notSent: number;
  hasHidden: boolean;
  /** Asks if signing out would remove waiting reviews. Returns whether it asks. */
  asksBeforeSignOut(button: HTMLElement): boolean;
  report(note: ReportedNote, button: HTMLElement): void;
  /** The ids of notes that this tab has reported. */
  reported: ReadonlySet<string>;
}

const ReviewsContext = createContext<Reviews | null>(null);

export function useReviews(): Reviews {
  const reviews = useContext(ReviewsContext);
  if (!reviews) throw new Error("No ReviewsProvider");
  return reviews;
}

type Dialogs = ComponentType<ReviewState>;
type LoadDialogs = () => Promise<{ Dialogs: Dialogs }>;

interface ReviewsProviderProps extends Pick<ReviewState, "userId" | "session" | "account" | "request"> {
  /** The list on screen. A new list is a new array. */
  shows: ListedShow[];
  notes: Readonly<Record<string, ShowNotes>>;
  loadDialogs: LoadDialogs;
  children: ReactNode;
}

const nothingReported: ReadonlySet<string> = new Set();
const nothingSent: ReadonlyMap<string, SentReview> = new Map();
const noneLoaded: OwnReviews = { userId: null, byShow: new Map() };

export function ReviewsProvider(props: ReviewsProviderProps) {
  const { shows, notes, userId, session, account, request, children } = props;
  const { Dialogs, dialog, setDialog, openDialog, openAsUser } = useDialogs(props);
  const [sent, setSent] = useState(nothingSent);
  const [reported, setReported] = useState(nothingReported);
  const [loadedNotes, setLoadedNotes] = useState(() => new Map(Object.entries(notes)));
  useLoad({
    // A new list has a new array. Until its notes have come, the last ones stay.
    key: shows,
    load: async (signal) => {
      const tallies = ({ id, reviews: listed }: ListedShow) => newestTallies(listed, sent.get(id)?.tallies);
      const ids = shows.filter((show) => isReviewed(tallies(show))).map(({ id }) => id);
      if (ids.length > 0) setLoadedNotes(await loadNotes(request, ids, signal));
    },
    failure: "Reviews could not be loaded:",
  });
  const [own, setOwn] = useState(noneLoaded);
  const notSent = useWaitingCount(userId);
  const ownReviews = own.userId === userId ? own.byShow : noneLoaded.byShow;

  function addSent(newest: SentReview): void {
    setSent((last) => new Map(last).set(newest.review.show_id, newest));
  }

  const addReported = (id: string) => setReported((last) => new Set(last).add(id));

  const reviews = useMemo(
    () => ({
      reviewsOf: ({ id, reviews: listed }: ListedShow) => ({
        tallies: newestTallies(listed, sent.get(id)?.tallies),
        notes: newestNotes(loadedNotes.get(id), sent.get(id)),
        isReviewed: ownReviews.has(id),
        isWaiting: notSent > 0 && waitingKeys(userId).some((key) => key.endsWith(` ${id}`)),
      }),
      review: (show: ListedShow, button: HTMLElement) => openAsUser(button, { kind: "review", show }),
      openOwnReviews: (button: HTMLElement) => openAsUser(button, { kind: "own" }),
      notSent,
      hasHidden: [...ownReviews.values()].some(({ notes, hidden }) => notes && hidden),
      asksBeforeSignOut(button: HTMLElement) {
        if (userId === null || waitingKeys(userId).length === 0) return false;
        void openDialog({ kind: "sign-out", userId, button });
        return true;
      },
      report: (note: ReportedNote, button: HTMLElement) => void openDialog({ kind: "report", note, button }),
      reported,
    }),
    [loadedNotes, sent, reported, ownReviews, openAsUser, openDialog, notSent, userId],
  );
  return (
    <ReviewsContext value={reviews}>
      {children}
      {Dialogs && (
        <Dialogs
          {...{ userId, session, account, request, dialog, setDialog, own, setOwn, addSent, addReported }}
        />
      )}
    </ReviewsContext>
  );
}

function isReviewed(tallies: Tallies | undefined): boolean {
  return tallies !== undefined && reviewCount(tallies) > 0;
}

/** Which dialog is open, and the script that shows it. */
function useDialogs({ userId, session, loadDialogs }: ReviewsProviderProps) {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [Dialogs, load] = useScript(loadDialogs, userId !== null);

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

  const openAsUser = useCallback(
    (button: HTMLElement, opened: { kind: "own" } | { kind: "review"; show: ReviewedShow }) => {
      // Not from `userId`: a click before hydration is replayed before that state is set.
      const { user } = session.current();
      if (!user) {
        rememberReturnTo(button.id);
        return showToast(session.endToast() ?? signInRequired);
      }
      void openDialog({ ...opened, userId: user.id, button });
    },
    [session, showToast, openDialog],
  );

  // In another tab, another user has signed in, who must not see the author's draft.
  if (dialog && dialog.kind !== "report" && userId !== null && userId !== dialog.userId) setDialog(null);

  return { Dialogs, dialog, setDialog, openDialog, openAsUser };
}

/** Loads once a user is signed in, so that dialogs open at once, also offline, and waiting reviews are sent. */
function useScript(loadDialogs: LoadDialogs, signedIn: boolean): [Dialogs | null, () => Promise<void>] {
  const [loaded, setLoaded] = useState<Dialogs | null>(null);
  const load = useCallback(async () => {
    const { Dialogs } = await loadDialogs();
    setLoaded(() => Dialogs);
  }, [loadDialogs]);
  useLoad({
    key: signedIn,
    load: async () => {
      if (signedIn) await load();
    },
    failure: "Reviewing could not be loaded:",
  });
  return [loaded, load];
}
