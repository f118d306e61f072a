import { expect, test } from "vitest";
import { createDraftStore } from "./drafts-client.ts";

const draft = { interaction: "yes" as const, notes: "Half a thought" };

function memory() {
  const entries = new Map<string, string>();
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, text: string) => void entries.set(key, text),
    removeItem: (key: string) => void entries.delete(key),
  };
}

/** Returns a factory of draft stores over one storage. */
function stores() {
  const storage = memory();
  return (showId: string, userId = "u1") => createDraftStore(() => storage, { showId, userId });
}

test("a draft is stored for its show and its author (docs/product.md §5.13)", () => {
  const store = stores();
  store("s1").save(draft);
  expect(store("s1").read()).toEqual(draft);
  expect(store("s2").read()).toEqual({ interaction: "no", notes: "" });
  expect(store("s1", "u2").read()).toEqual({ interaction: "no", notes: "" });
});

test("a discarded draft is gone", () => {
  const store = stores()("s1");
  store.save(draft);
  store.discard();
  expect(store.read()).toEqual({ interaction: "no", notes: "" });
});

test("a sent draft is gone, unless it has changed since", () => {
  const store = stores()("s1");
  store.save({ ...draft, notes: "A whole thought" });
  store.discardSent(draft);
  expect(store.read().notes).toBe("A whole thought");
  store.discardSent({ ...draft, notes: "A whole thought" });
  expect(store.read().notes).toBe("");
});

test.each(["{", "null", '["maybe","x"]', '["no",7]'])("%s in storage is no draft", (text) => {
  const store = createDraftStore(() => ({ ...memory(), getItem: () => text }), {
    showId: "s1",
    userId: "u1",
  });
  expect(store.read()).toEqual({ interaction: "no", notes: "" });
});

test("storage that throws is ignored", () => {
  const store = createDraftStore(
    () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    },
    { showId: "s1", userId: "u1" },
  );
  store.save(draft);
  store.discardSent(draft);
  expect(store.read()).toEqual({ interaction: "no", notes: "" });
});
