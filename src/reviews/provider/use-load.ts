import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { useRetry } from "../../browser/use-retry.ts";

interface Loading {
  /** A new key loads again, and aborts the request in flight. */
  key: unknown;
  load: (signal: AbortSignal) => Promise<void>;
  failure: string;
}

/** Loads for each key, and again after a failure or when the returned function is called. */
export function useLoad({ key, load, failure }: Loading): [failed: boolean, reload: () => void] {
  const [failed, setFailed] = useState(false);
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((last) => last + 1), []);
  const start = useEffectEvent(load);
  useRetry(failed, reload);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every key and version
  useEffect(() => {
    const abort = new AbortController();
    start(abort.signal).then(
      () => setFailed(false),
      (error) => {
        if (abort.signal.aborted) return;
        console.error(failure, error);
        setFailed(true);
      },
    );
    return () => abort.abort();
  }, [key, version]);
  return [failed, reload];
}
