/** Something took longer than it may. */
export class TooLateError extends Error {
  override name = "TooLateError";
}

/** What `work` resolves with; rejects with a TooLateError after `ms`, whatever becomes of the work. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TooLateError(`It took longer than ${ms} ms`)), ms);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
