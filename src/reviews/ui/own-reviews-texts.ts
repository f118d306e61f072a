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
};

/** The toast for a failed attempt. */
export function attemptFailed(attempt: keyof typeof attempts, failure: OwnDataFailure): Toast {
  const why =
    failure === "signed-out"
      ? "Your session has ended. Please sign in again."
      : "Please try again in a moment.";
  return {
    title: "Error",
    description: `${attempts[attempt]}. ${why}`,
    destructive: true,
    topic: ownDataTopic,
  };
}

export const wrongEmail = "This is not the e-mail of your account.";

export const reauthenticationNeeded =
  "To be sure that it is you, please sign in again, with the same account. Then come back here within five minutes.";
