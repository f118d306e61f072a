import { useCallback, useEffect, useState } from "react";
import { retriedImport } from "../../browser/retried-import-client.ts";

const importReviewer = retriedImport(() => import("./reviewer.tsx"));

type ReviewerComponent = Awaited<ReturnType<typeof importReviewer>>["Reviewer"];

/**
 * Returns what only signed-in users need, or null until it is loaded, and a function that loads it. It is
 * loaded as soon as somebody is signed in, so that dialogs open at once, also when the signal is gone by
 * then.
 */
export function useReviewer(signedIn: boolean): [ReviewerComponent | null, load: () => Promise<void>] {
  const [loaded, setLoaded] = useState<ReviewerComponent | null>(null);
  const load = useCallback(async () => {
    const { Reviewer } = await importReviewer();
    setLoaded(() => Reviewer);
  }, []);
  useEffect(() => {
    if (signedIn) load().catch((error) => console.error("Reviewing could not be loaded:", error));
  }, [signedIn, load]);
  return [loaded, load];
}
