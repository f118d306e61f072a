/** Web storage in memory, for texts of up to `quota` UTF-16 code units. */
export function memoryStorage(quota = Number.POSITIVE_INFINITY) {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem(key: string, text: string) {
      if (text.length > quota)
        throw new DOMException("Setting the value exceeded the quota.", "QuotaExceededError");
      entries.set(key, text);
    },
    removeItem: (key: string) => void entries.delete(key),
  };
}
