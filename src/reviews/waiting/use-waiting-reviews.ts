import { useEffect, useEffectEvent, useRef } from "react";
import { SignedOutError, type UserSession } from "../../browser/requests/signed-in-request.ts";
import type { SavedReview } from "../../domain/review-dto.ts";
import { useToast } from "../../ui/toast.tsx";
import type { Toast } from "../../ui/toasts.ts";
import type { SubmitReview } from "../state/review-api-client.ts";
import {
  refusalOf,
  signInToSend,
  submissionFailed,
  submitted,
  waitingRefused,
} from "../state/review-texts.ts";
import { sendAgain, sendWaiting } from "./send-waiting-client.ts";
import { useWaiting, type WaitingReview } from "./waiting-reviews-client.ts";

interface WaitingOptions {
  userId: string | null;
  session: UserSession;
  submit: SubmitReview;
  onSaved: (saved: SavedReview) => void;
}

/** Sends the user's waiting reviews (docs/product.md §14.7). The returned function sends them at once. */
export function useWaitingReviews({ userId, session, submit, onSaved }: WaitingOptions) {
  const showToast = useToast();
  const waiting = useWaiting(userId);
  const sending = useRef<Promise<void>>(null);
  const isToldToSignIn = useRef(false);

  function send(author: string, isForced: boolean): Promise<void> {
    // Not to another user, who has signed in in another tab.
    const tell = (toast: Toast) => (session.current().user?.id ?? author) === author && showToast(toast);
    const results = {
      onSaved(saved: SavedReview) {
        onSaved(saved);
        tell(submitted);
      },
      onSignedOut(error: unknown) {
        const toast = (error instanceof SignedOutError && error.endToast) || signInToSend;
        if (isForced || !isToldToSignIn.current) tell(toast);
        isToldToSignIn.current = true;
      },
      onRefused({ title, showId }: WaitingReview, error: unknown) {
        const refusal = refusalOf(error);
        tell(waitingRefused(title, showId, refusal));
        return refusal;
      },
      onKept(error: unknown) {
        if (isForced) tell(submissionFailed(error));
      },
    };
    sending.current ??= sendWaiting(author, submit, results, isForced)
      .catch((error) => console.error("Reviews were not sent:", error))
      .finally(() => {
        sending.current = null;
      });
    return sending.current;
  }

  const sendByItself = useEffectEvent((author: string) => send(author, false));
  useEffect(() => {
    isToldToSignIn.current = false;
    if (userId !== null) void sendByItself(userId);
  }, [userId]);
  const canSend = waiting.some(({ refusal }) => refusal === undefined);
  useEffect(() => {
    if (userId !== null && canSend) return sendAgain(userId, () => sendByItself(userId));
  }, [userId, canSend]);

  async function sendNow(): Promise<void> {
    await sending.current;
    if (userId !== null) await send(userId, true);
  }
  return { waiting, sendNow };
}
