/** Something took longer than it may. */
export class TimeoutError extends Error {
  override name = "TimeoutError";
}

/** What `work` resolves with; rejects with a TimeoutError after `ms`, whatever becomes of the work. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError(`It took longer than ${ms} ms`)), ms);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
