import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import type { Review, SavedReview } from "../../domain/review-dto.ts";
import type { ListedShow } from "../../domain/show.ts";
import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { ApiRequest } from "./api-request-client.ts";
import type { Draft } from "./drafts-client.ts";
import type { LoadedReviews } from "./loaded-reviews.ts";
import { createReviewApi, type Outcome, type ReviewerSession } from "./review-api-client.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import {
  authenticationRequired,
  notesTooLong,
  submissionTopic,
  submitFailed,
  submitted,
} from "./review-texts.ts";
import { useOwnReviews } from "./use-own-reviews.ts";

/** The show that is reviewed, its reviewer, and the button that was pressed. */
export interface OpenDialog {
  show: ListedShow;
  userId: string;
  button: HTMLElement;
}

interface ReviewerProps {
  /** The signed-in user, or null. */
  userId: string | null;
  session: ReviewerSession;
  request: ApiRequest;
  dialog: OpenDialog | null;
  /** The signed-in user's reviews, by show. */
  ownReviews: ReadonlyMap<string, Review>;
  setLoaded: Dispatch<SetStateAction<LoadedReviews>>;
  /** Called with a saved review, and with the one that it replaces, if that is known. */
  onSaved: (saved: SavedReview, replaced: Review | undefined) => void;
  onClosed: () => void;
}

/**
 * What only signed-in users need: their own reviews and the review dialog. Nothing else imports it or what it
 * alone imports, so that all of it is one script, which the first load goes without.
 */
export function Reviewer({
  userId,
  session,
  request,
  dialog,
  ownReviews,
  setLoaded,
  onSaved,
  onClosed,
}: ReviewerProps) {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  const [api] = useState(() => createReviewApi({ request, session }));
  const { add, reload } = useOwnReviews({ userId, api, setLoaded });
  useEffect(() => {
    if (dialog) reload();
  }, [dialog, reload]);

  async function submit({ show, userId }: OpenDialog, draft: Draft): Promise<Outcome["kind"]> {
    dismissFailure(submissionTopic);
    const outcome = await api.submit({ showId: show.id, userId, ...draft });
    if (outcome.kind === "saved") {
      onSaved(outcome.saved, ownReviews.get(show.id));
      add(userId, outcome.saved.review);
    }
    showToast(toastOf[outcome.kind]);
    return outcome.kind;
  }

  function close({ button }: OpenDialog): void {
    onClosed();
    // Safari does not focus a clicked button, so the dialog cannot restore the focus by itself.
    if (button.isConnected) button.focus({ preventScroll: true });
    else document.getElementById("shows")?.focus({ preventScroll: true });
  }

  return (
    dialog && (
      <ReviewDialog
        key={`${dialog.userId} ${dialog.show.id}`}
        show={dialog.show}
        userId={dialog.userId}
        replaces={ownReviews.has(dialog.show.id)}
        isSignedIn={() => session.current().user?.id === dialog.userId}
        submit={(draft) => submit(dialog, draft)}
        onClosed={() => close(dialog)}
      />
    )
  );
}

const toastOf = {
  saved: submitted,
  "signed-out": authenticationRequired,
  "too-long": notesTooLong,
  failed: submitFailed,
};
