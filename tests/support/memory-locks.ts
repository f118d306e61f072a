/** Web Locks in memory, with one name. */
export function memoryLocks() {
  let last: Promise<unknown> | null = null;
  return {
    async request<Result>(
      _name: string,
      { ifAvailable = false, signal }: LockOptions,
      task: (lock: object | null) => Result,
    ): Promise<Awaited<Result>> {
      if (last && ifAvailable) return await task(null);
      const done = Promise.withResolvers<void>();
      const before = last;
      const held = Promise.resolve(before).then(() => done.promise);
      last = held;
      void held.then(() => {
        if (last === held) last = null;
      });
      try {
        await Promise.race([before, aborted(signal)]);
        return await task({});
      } finally {
        done.resolve();
      }
    },
  };
}

const aborted = (signal?: AbortSignal) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
