interface Entry<Value> {
  value: Value;
  /** On the clock of `performance.now()`. */
  endsAt: number;
}

export type ExpiringMap<Value> = ReturnType<typeof createExpiringMap<Value>>;

/** Over `max` entries, evicts the oldest. @param ttl in ms */
export function createExpiringMap<Value>({ ttl, max }: { ttl: number; max: number }) {
  /** Oldest first. */
  const entries = new Map<string, Entry<Value>>();
  let isTimerSet = false;

  function removeEnded(): void {
    isTimerSet = false;
    const now = performance.now();
    for (const [key, { endsAt }] of entries) {
      if (endsAt > now) break;
      entries.delete(key);
    }
    setTimer();
  }

  function setTimer(): void {
    const [oldest] = entries.values();
    if (!oldest || isTimerSet) return;
    isTimerSet = true;
    // It may have ended since the time was read: Node.js warns of negative times.
    setTimeout(removeEnded, Math.max(0, oldest.endsAt - performance.now())).unref();
  }

  return {
    get(key: string): Entry<Value> | undefined {
      const entry = entries.get(key);
      return entry && entry.endsAt > performance.now() ? entry : undefined;
    },
    /** Replaces an older entry of the key. */
    add(key: string, value: Value): Entry<Value> {
      const [oldest] = entries.keys();
      if (!entries.delete(key) && oldest !== undefined && entries.size >= max) entries.delete(oldest);
      const entry = { value, endsAt: performance.now() + ttl };
      entries.set(key, entry);
      setTimer();
      return entry;
    },
    delete: (key: string) => entries.delete(key),
  };
}
