/** Of a write that answers a request. */
export interface Deadline {
  /** The latest start of the commit, on the clock of `performance.now()`. */
  at: number;
  /** From the start of the commit on: the write may be stored although nothing confirms it. */
  isCommitting: boolean;
}

export class TimeoutError extends Error {
  override name = "TimeoutError";
}

/** `work` is not cancelled. @throws TimeoutError */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError(`Timed out after ${ms} ms`)), ms);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** `work` is not cancelled. @throws the signal's reason once it is aborted */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
