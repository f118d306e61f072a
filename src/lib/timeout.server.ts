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
