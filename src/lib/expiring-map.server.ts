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
  let timer: NodeJS.Timeout | undefined;

  function removeEnded(): void {
    timer = undefined;
    for (const [key, { endsAt }] of entries) {
      const left = endsAt - performance.now();
      if (left > 0) {
        setTimer(left);
        break;
      }
      entries.delete(key);
    }
  }

  function setTimer(ms: number): void {
    if (!timer) timer = setTimeout(removeEnded, ms).unref();
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
      setTimer(ttl);
      return entry;
    },
    delete: (key: string) => entries.delete(key),
  };
}
