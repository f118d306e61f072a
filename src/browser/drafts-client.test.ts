import { expect, test } from "vitest";
import { memoryStorage } from "../../tests/support/memory-storage.ts";
import { createDraft } from "./drafts-client.ts";

test("a draft is stored for its show and its author until it is discarded (docs/product.md §5.13)", () => {
  const storage = memoryStorage();
  const draftOf = (about: string, userId = "u1") => createDraft(userId, about, () => storage);
  draftOf("s1").save("yes", "Half a thought");
  expect(draftOf("s1").read()).toEqual(["yes", "Half a thought"]);
  expect(draftOf("s2").read()).toEqual([]);
  expect(draftOf("s1", "u2").read()).toEqual([]);
  draftOf("s1").discard();
  expect(draftOf("s1").read()).toEqual([]);
});

test("a sent draft is removed, unless it has changed since", () => {
  const storage = memoryStorage();
  const draft = createDraft("u1", "s1", () => storage);
  draft.save("yes", "A whole thought");
  draft.discardSent("yes", "Half a thought");
  expect(draft.read()).toEqual(["yes", "A whole thought"]);
  draft.discardSent("yes", "A whole thought");
  expect(draft.read()).toEqual([]);
});

test.each(["{", "null", '{"notes":"x"}', '["no",7]'])("%s in storage is no draft", (text) => {
  expect(createDraft("u1", "s1", () => ({ ...memoryStorage(), getItem: () => text })).read()).toEqual([]);
});

test("storage that throws is ignored", () => {
  const draft = createDraft("u1", "s1", () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  draft.save("yes", "Half a thought");
  draft.discardSent("yes", "Half a thought");
  expect(draft.read()).toEqual([]);
});
