import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { Toast } from "../../ui/toasts.ts";
import { rethrowProgrammingError } from "../programming-error.ts";
import { SignedOutError } from "./signed-in-request.ts";

/**
 * Resolves with the task's result, or with undefined if it failed, after showing the failure's toast, if any.
 * @throws a mistake in our code
 */
export type Attempt = <T>(
  task: () => Promise<T>,
  toastOf: (error: unknown) => Toast | null,
) => Promise<T | undefined>;

/** Each attempt removes the failure of the one before, of the same topic. */
export function useAttempt(topic: string): Attempt {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  return async (task, toastOf) => {
    dismissFailure(topic);
    try {
      return await task();
    } catch (error) {
      rethrowProgrammingError(error);
      const toast = (error instanceof SignedOutError && error.endToast) || toastOf(error);
      if (toast) showToast(toast);
    }
  };
}
