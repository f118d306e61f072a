import { type ComponentType, useCallback, useEffect, useState } from "react";
import type { ReviewerProps } from "./reviewer.tsx";

type ReviewerComponent = ComponentType<ReviewerProps>;

/** Imports `Reviewer`, with the dialog that reports a note. */
export type LoadReviewer = () => Promise<{ Dialogs: ReviewerComponent }>;

/**
 * Returns what only signed-in users need, or null until it is loaded, and a function that loads it. It is
 * loaded as soon as somebody is signed in, so that dialogs open at once, also when the signal is gone by
 * then.
 */
export function useReviewer(
  signedIn: boolean,
  importReviewer: LoadReviewer,
): [ReviewerComponent | null, load: () => Promise<void>] {
  const [loaded, setLoaded] = useState<ReviewerComponent | null>(null);
  const load = useCallback(async () => {
    const { Dialogs } = await importReviewer();
    setLoaded(() => Dialogs);
  }, [importReviewer]);
  useEffect(() => {
    if (signedIn) load().catch((error) => console.error("Reviewing could not be loaded:", error));
  }, [signedIn, load]);
  return [loaded, load];
}
