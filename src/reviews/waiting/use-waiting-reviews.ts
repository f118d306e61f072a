import { useEffect, useEffectEvent } from "react";
import { SignedOutError, type UserSession } from "../../browser/requests/signed-in-request.ts";
import type { SavedReview } from "../../domain/review-dto.ts";
import { useToast } from "../../ui/toast.tsx";
import { errorToast, type Toast } from "../../ui/toasts.ts";
import type { SubmitReview } from "../dialog/review-api-client.ts";
import { refusalOf, refusalTopic, signInToSend, submitted } from "../dialog/review-texts.ts";
import { sendWaiting } from "./send-waiting-client.ts";
import { useWaiting, type WaitingReview } from "./waiting-reviews-client.ts";

interface WaitingOptions {
  userId: string | null;
  session: UserSession;
  submit: SubmitReview;
  onSaved: (saved: SavedReview) => void;
}

/** Sends the user's waiting reviews on start, when the network is back, and when the tab becomes visible. */
export function useWaitingReviews({ userId, session, submit, onSaved }: WaitingOptions): WaitingReview[] {
  const showToast = useToast();
  const send = useEffectEvent((author: string) => {
    // Not to another user, who has signed in in another tab.
    const tell = (toast: Toast) => (session.current().user?.id ?? author) === author && showToast(toast);
    const results = {
      onSaved(saved: SavedReview) {
        onSaved(saved);
        tell(submitted);
      },
      onSignedOut(error: unknown) {
        tell((error instanceof SignedOutError && error.endToast) || signInToSend);
      },
      onRefused({ title, showId }: WaitingReview, error: unknown) {
        const refusal = refusalOf(error);
        const text = `${title}: ${refusal} What you typed is in Your reviews.`;
        tell(errorToast(text, refusalTopic(showId)));
        return refusal;
      },
    };
    sendWaiting(author, submit, results).catch((error) => console.error("Reviews were not sent:", error));
  });
  useEffect(() => {
    if (userId === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    const sendNow = () => send(userId);
    const sendIfVisible = () => !document.hidden && send(userId);
    window.addEventListener("online", sendNow, { signal });
    document.addEventListener("visibilitychange", sendIfVisible, { signal });
    send(userId);
    return () => stop.abort();
  }, [userId]);
  return useWaiting(userId);
}
