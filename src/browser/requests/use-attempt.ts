import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { Toast } from "../../ui/toasts.ts";
import { rethrowProgrammingError } from "../programming-error.ts";
import { SignedOutError } from "./signed-in-request.ts";

/**
 * Runs a task. Resolves with its result, or with undefined if it failed, after showing the failure's toast;
 * null if that is shown elsewhere. A mistake in our code is thrown.
 */
export type Attempt = <T>(
  task: () => Promise<T>,
  toastOf: (error: unknown) => Toast | null,
) => Promise<T | undefined>;

/** Returns the function that makes an attempt. Each removes the failure of the one before, of the same topic. */
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
