import { expect, test } from "vitest";
import { canStore } from "./start-sign-in-client.ts";

/** Storage in memory for so many code units. */
function memory(quota: number) {
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

test("storage that keeps a session is found to, and nothing is left in it", () => {
  const storage = memory(5_000_000);
  expect(canStore(() => storage)).toBe(true);
  expect(storage.entries.size).toBe(0);
});

test.each([
  ["throws at every access", () => raise("SecurityError")],
  ["throws at every write", () => memory(0)],
  ["is nearly full", () => memory(2_000)],
  ["takes texts and keeps none", () => ({ ...memory(9_000), setItem: () => {} })],
  ["does not exist", () => JSON.parse("null")],
])("storage that %s is found not to keep a session", (_, storage) => {
  expect(canStore(storage)).toBe(false);
});

function raise(name: string): never {
  throw new DOMException("Access is denied for this document.", name);
}
