/** Null if the task throws: browsers may block storage. */
export function orNull<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}
