import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { ApiRequestError } from "./requests/api-request-client.ts";
import { retryWait, useRetry } from "./use-retry.ts";

interface Loading {
  /** A new key loads again, and aborts the request in flight. */
  key: unknown;
  load: (signal: AbortSignal) => Promise<void>;
  failure: string;
}

/** Loads for each key, and again after a failure or when the returned function is called. */
export function useLoad({ key, load, failure }: Loading): [failed: boolean, reload: () => void] {
  const [wait, setWait] = useState<number | null>(null);
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((last) => last + 1), []);
  const start = useEffectEvent(load);
  useRetry(wait, reload);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every key and version
  useEffect(() => {
    const abort = new AbortController();
    start(abort.signal).then(
      () => setWait(null),
      (error) => {
        if (abort.signal.aborted) return;
        console.error(failure, error);
        setWait(retryWait(error instanceof ApiRequestError ? error.retryAfter : undefined));
      },
    );
    return () => abort.abort();
  }, [key, version]);
  return [wait !== null, reload];
}
