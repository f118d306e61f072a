// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { createDraft } from "./drafts-client.ts";
import { discardUserData, userKey } from "./user-data-client.ts";

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
  sessionStorage.clear();
});

test("what is kept of a user goes from both storages, and nothing else (docs/product.md §14.8)", () => {
  const others = [userKey("waiting", "u2"), userKey("waiting-until", "u10"), "front-row-session"];
  for (const key of [...others, userKey("waiting", "u1"), userKey("waiting-until", "u1")])
    localStorage.setItem(`${key}s1`, "{}");
  for (const userId of ["u1", "u2", ""])
    for (const about of ["u1", "report u1"]) createDraft(userId, about).save("yes");
  const changed = vi.fn();
  window.addEventListener("storage", changed);
  discardUserData("u1");
  window.removeEventListener("storage", changed);
  expect(Object.keys(localStorage).toSorted()).toEqual(others.map((key) => `${key}s1`).toSorted());
  expect(Object.keys(sessionStorage).map((key) => key.split(" ")[1])).toEqual(["u2", "u2", "", ""]);
  expect(changed).toHaveBeenCalledOnce();
});

test("a sent draft is removed, unless it has changed since", () => {
  const draft = createDraft("u1", "s1");
  draft.save("yes", "A whole thought");
  draft.discardSent("yes", "Half a thought");
  expect(draft.read()).toEqual(["yes", "A whole thought"]);
  draft.discardSent("yes", "A whole thought");
  expect(draft.read()).toEqual([]);
});

test.each(["{", "null", '{"notes":"x"}', '["no",7]'])("%s in storage is no draft", (text) => {
  sessionStorage.setItem(`${userKey("draft", "u1")}s1`, text);
  expect(createDraft("u1", "s1").read()).toEqual([]);
});

test.each(["localStorage", "sessionStorage"] as const)("blocked %s is ignored", (name) => {
  const draft = createDraft("u1", "s1");
  vi.spyOn(window, name, "get").mockImplementation(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  draft.save("no");
  expect(draft.read()).toEqual(name === "localStorage" ? ["no"] : []);
  discardUserData("u1");
  expect(draft.read()).toEqual([]);
});
