/** Work took longer than its timeout. */
export class TimeoutError extends Error {
  override name = "TimeoutError";
}

/**
 * Resolves or rejects like `work`, which is not cancelled when the time is up.
 * @param ms the timeout in milliseconds
 * @throws TimeoutError
 */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError(`Timed out after ${ms} ms`)), ms);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
