import { expect, test } from "vitest";
import { memoryStorage } from "../../tests/support/memory-storage.ts";
import { canStore } from "./can-store.ts";

test("storage that keeps a session is found to, and nothing is left in it", () => {
  const storage = memoryStorage(5_000_000);
  expect(canStore(() => storage)).toBe(true);
  expect(storage.entries.size).toBe(0);
});

test.each([
  ["throws at every access", () => raise("SecurityError")],
  ["throws at every write", () => memoryStorage(0)],
  ["is nearly full", () => memoryStorage(2_000)],
  ["takes texts and keeps none", () => ({ ...memoryStorage(9_000), setItem: () => {} })],
  ["does not exist", () => JSON.parse("null")],
])("storage that %s is found not to keep a session", (_, storage) => {
  expect(canStore(storage)).toBe(false);
});

function raise(name: string): never {
  throw new DOMException("Access is denied for this document.", name);
}
