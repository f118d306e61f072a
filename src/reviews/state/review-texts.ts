import { ApiRequestError } from "../../browser/requests/api-request-client.ts";
import { limitOf } from "../../browser/requests/limit-end.ts";
import { SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { type Interaction, NOTES_MAX } from "../../domain/review.ts";
import { errorToast, type Toast } from "../../ui/toasts.ts";

export const optionLabels: Record<Interaction, string> = {
  no: "No audience interaction",
  very_little: "Very little interaction",
  yes: "Yes, significant interaction",
};

export function notesHint(interaction: Interaction): string {
  return interaction === "no"
    ? "Helpful: where did you sit? Did anybody near you get picked? Please name nobody."
    : "Helpful: where did the people who were picked sit? Could they say no? What were they asked to do? Please name nobody.";
}

export const tooLongMessage = `Notes cannot exceed ${NOTES_MAX} characters`;

// docs/product.md §5.9. Each outcome replaces the previous one.

export const submissionTopic = "submission";

const failures = {
  signedOut: { title: "Authentication required", description: "Please sign in to submit a review." },
  tooLong: { title: "Notes too long", description: `Please keep your notes under ${NOTES_MAX} characters.` },
  unknown: { title: "Error", description: "Failed to submit review. Please try again." },
};

export function submissionFailed(error: unknown): Toast {
  return { ...failureOf(error), destructive: true, topic: submissionTopic };
}

/** Long notes by the message: other servers may use another code. */
function failureOf(error: unknown): Pick<Toast, "title" | "description"> {
  if (error instanceof SignedOutError) return failures.signedOut;
  const limit = limitOf(error);
  if (limit === null)
    return String(error).toLowerCase().includes(tooLongMessage.toLowerCase())
      ? failures.tooLong
      : failures.unknown;
  const description = limit.isOfNetwork
    ? `Too many requests came from your network. You can send your review ${limit.end}.`
    : `You have sent many reviews. You can send the next one ${limit.end}.`;
  return { title: "Error", description };
}

/** docs/product.md §14.6. In the toast, because nothing may move under a finger that presses again. */
export function offerToWait(failure: Toast, run: () => void): Toast {
  return { ...failure, stays: true, action: { label: "Send when I'm back online", run } };
}

export const notSentYet: Toast = {
  title: "Not sent yet",
  description: "It is sent when you are back online.",
  pending: true,
  topic: submissionTopic,
};

/** For a waiting review: nothing else on the screen leads to signing in. */
export const signInToSend: Toast = {
  ...failures.signedOut,
  destructive: true,
  topic: submissionTopic,
  action: { label: "Sign in", href: "/auth" },
};

/** For the author of a waiting review that this browser has damaged. */
export const damagedReview = "It was damaged in this browser. Please check it before you send it.";

export function refusalTopic(showId: string): string {
  return `refusal ${showId}`;
}

export function waitingRefused(title: string, showId: string, refusal: string): Toast {
  return errorToast(`${title}: ${refusal} What you typed is in Your reviews.`, refusalTopic(showId));
}

/** For the author of a review that the server has refused. */
export function refusalOf(error: unknown): string {
  const { description } = failureOf(error);
  if (description !== failures.unknown.description) return description;
  return error instanceof ApiRequestError ? error.message : description;
}

export const submitted: Toast = {
  title: "Review submitted!",
  description: "Thank you for sharing your experience.",
  topic: submissionTopic,
};
