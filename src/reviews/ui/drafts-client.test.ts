import { expect, test } from "vitest";
import { keeperOf } from "./drafts-client.ts";

const draft = { interaction: "yes" as const, notes: "Half a thought" };

function memory() {
  const entries = new Map<string, string>();
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, text: string) => void entries.set(key, text),
    removeItem: (key: string) => void entries.delete(key),
  };
}

/** Keepers over one storage. */
function keepers() {
  const storage = memory();
  return (showId: string, userId = "u1") => keeperOf(() => storage, { showId, userId });
}

test("a draft is kept for its show and its writer", () => {
  const keeper = keepers();
  keeper("s1").keep(draft);
  expect(keeper("s1").read()).toEqual(draft);
  expect(keeper("s2").read()).toEqual({ interaction: "no", notes: "" });
  expect(keeper("s1", "u2").read()).toEqual({ interaction: "no", notes: "" });
});

test("a draft that is given up is gone", () => {
  const keeper = keepers()("s1");
  keeper.keep(draft);
  keeper.drop();
  expect(keeper.read()).toEqual({ interaction: "no", notes: "" });
});

test("a draft that was sent is gone, unless it has been changed since", () => {
  const keeper = keepers()("s1");
  keeper.keep({ ...draft, notes: "A whole thought" });
  keeper.dropSent(draft);
  expect(keeper.read().notes).toBe("A whole thought");
  keeper.dropSent({ ...draft, notes: "A whole thought" });
  expect(keeper.read().notes).toBe("");
});

test.each(["{", "null", '["maybe","x"]', '["no",7]'])("%s in storage is no draft", (text) => {
  const keeper = keeperOf(() => ({ ...memory(), getItem: () => text }), { showId: "s1", userId: "u1" });
  expect(keeper.read()).toEqual({ interaction: "no", notes: "" });
});

test("storage that throws keeps nothing and breaks nothing", () => {
  const keeper = keeperOf(
    () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    },
    { showId: "s1", userId: "u1" },
  );
  keeper.keep(draft);
  keeper.dropSent(draft);
  expect(keeper.read()).toEqual({ interaction: "no", notes: "" });
});
