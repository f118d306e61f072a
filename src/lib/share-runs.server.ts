/** Runs never overlap. A call resolves after a run that began after it; all calls during a run share the next one. */
export function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  return function share() {
    next ??= last.then(() => {
      next = null;
      const running = run();
      last = running.catch(() => {});
      return running;
    });
    return next;
  };
}
