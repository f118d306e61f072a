import { limitOf } from "../../browser/requests/limit-end.ts";
import { SignedOutError } from "../../browser/requests/signed-in-request.ts";
import type { ReportReason } from "../../domain/report.ts";
import { errorToast, type Toast } from "../../ui/toasts.ts";

// The texts of docs/product.md §6.19. Each outcome replaces the previous one.

export const ownDataTopic = "own data";

export function reviewDeleted(title: string): Toast {
  return { title: "Review deleted", description: title, topic: ownDataTopic };
}

export const accountDeleted: Toast = {
  title: "Account deleted",
  description: "Your account and all your reviews are gone.",
  topic: ownDataTopic,
};

const actions = {
  remove: "The review could not be deleted",
  download: "Your data could not be downloaded",
  delete: "Your account could not be deleted",
  object: "The objection could not be sent",
};

export function actionFailed(action: keyof typeof actions) {
  return (error: unknown) => errorToast(`${actions[action]}. ${whatToDo(error)}`, ownDataTopic);
}

function whatToDo(error: unknown): string {
  if (error instanceof SignedOutError) return "Your session has ended. Please sign in again.";
  const limit = limitOf(error);
  return limit ? `You can try again ${limit.end}.` : "Please try again in a moment.";
}

export const wrongEmail = "This is not the e-mail of your account.";

export const reauthenticationNeeded =
  "To be sure that it is you, please sign in again, with the same account. Then come back here within five minutes.";

/** For the author of hidden notes (docs/product.md §13.14). */
export const rules: Record<ReportReason, string> = {
  personal_data: "notes don't name or describe private people.",
  illegal: "notes don't break the law.",
  abusive: "notes are not abusive.",
  off_topic: "notes are about the show.",
  fake: "notes are true, and not by the company.",
};

export const objectionSent =
  "You have objected. If the person who looks at it agrees, your notes are shown again.";

export const objectionReceived: Toast = {
  title: "Objection sent",
  description: "A person will look at it.",
  topic: ownDataTopic,
};
