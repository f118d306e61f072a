// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from "vitest";
import { createDraft } from "./drafts-client.ts";
import { discardUserData, userKey } from "./user-data-client.ts";

test("what is kept of a user goes from both storages, and nothing else (docs/product.md §14.8)", () => {
  onTestFinished(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
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

test("blocked storage is ignored", () => {
  const storage = vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  onTestFinished(() => storage.mockRestore());
  sessionStorage.setItem(userKey("draft", "u1"), "[]");
  discardUserData("u1");
  expect(sessionStorage).toHaveLength(0);
});
