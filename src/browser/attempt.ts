/** Returns null if a task throws, as use of storage does where the browser blocks it. */
export function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
