import type { ReportReason } from "../../domain/report.ts";
import type { Toast } from "../../ui/toast-store.ts";
import type { OwnDataFailure } from "./own-data-client.ts";

// The texts of docs/product.md §6.19. The outcome of an attempt replaces that of the attempt before.

export const ownDataTopic = "own data";

export function reviewDeleted(title: string): Toast {
  return { title: "Review deleted", description: title, topic: ownDataTopic };
}

export const accountDeleted: Toast = {
  title: "Account deleted",
  description: "Your account and all your reviews are gone.",
  topic: ownDataTopic,
};

/** What failed, as the toast says it. */
const attempts = {
  remove: "The review could not be deleted",
  download: "Your data could not be downloaded",
  delete: "Your account could not be deleted",
  object: "The objection could not be sent",
};

/**
 * The toast for a failed attempt.
 * @param endToast that of the account's end, if it has ended
 */
export function attemptFailed(
  attempt: keyof typeof attempts,
  failure: OwnDataFailure,
  endToast: Toast | null,
): Toast {
  if (failure === "signed-out" && endToast) return endToast;
  return {
    title: "Error",
    description: `${attempts[attempt]}. ${whatToDo(failure)}`,
    destructive: true,
    topic: ownDataTopic,
  };
}

function whatToDo(failure: OwnDataFailure): string {
  if (failure === "signed-out") return "Your session has ended. Please sign in again.";
  return `${typeof failure === "object" ? `You can try again ${failure.limitEnd}` : "Please try again in a moment"}.`;
}

export const wrongEmail = "This is not the e-mail of your account.";

export const reauthenticationNeeded =
  "To be sure that it is you, please sign in again, with the same account. Then come back here within five minutes.";

/** The rules for notes, as the author of hidden ones reads them (docs/product.md §13.14). */
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
