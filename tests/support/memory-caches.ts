/** Cache Storage in memory. */
export function memoryCaches(): CacheStorage & { sets: Map<string, Map<string, Response>> } {
  const sets = new Map<string, Map<string, Response>>();
  const pathOf = (key: RequestInfo | URL) =>
    typeof key === "string" ? key : new URL((key as Request).url).pathname;
  function cacheOf(entries: Map<string, Response>): Cache {
    const cache: Partial<Cache> = {
      match: async (key) => entries.get(pathOf(key))?.clone(),
      put: async (key, response) => void entries.set(pathOf(key), response),
      async add(key) {
        const response = await fetch(key);
        if (!response.ok) throw new TypeError(`${response.status}`);
        await this.put?.(key, response);
      },
    };
    return cache as Cache;
  }
  return {
    sets,
    keys: async () => [...sets.keys()],
    has: async (name) => sets.has(name),
    delete: async (name) => sets.delete(name),
    async open(name) {
      const entries = sets.get(name) ?? new Map<string, Response>();
      sets.set(name, entries);
      return cacheOf(entries);
    },
    async match(key) {
      for (const entries of sets.values()) {
        const found = entries.get(pathOf(key));
        if (found) return found.clone();
      }
    },
  };
}
