/** In ms: longer than any working network needs. */
const REQUEST_TIMEOUT = 15_000;

/** `AbortSignal.timeout` and `AbortSignal.any` are newer than the oldest browsers. @param limit in ms */
export function withTimeLimit(signal?: AbortSignal | null, limit = REQUEST_TIMEOUT): AbortSignal {
  const either = new AbortController();
  const abort = () => either.abort();
  setTimeout(abort, limit);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  return either.signal;
}
