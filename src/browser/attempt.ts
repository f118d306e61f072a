/** Null if the task throws, as storage does where the browser blocks it. */
export function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
