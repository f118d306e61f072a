import { useDismissFailure, useToast } from "../../ui/toast.tsx";
import type { Toast } from "../../ui/toasts.ts";
import { rethrowProgrammingError } from "../programming-error.ts";
import { SignedOutError } from "./signed-in-request.ts";

/** After a failure, shows its toast and returns undefined. @throws a mistake in our code */
export function useFailureToast(topic: string) {
  const showToast = useToast();
  const dismissFailure = useDismissFailure();
  return async <T>(task: () => Promise<T>, toastOf: (error: unknown) => Toast | null) => {
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
