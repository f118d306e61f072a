import { expect, test } from "vitest";
import { createSessionStore } from "./session-store.ts";

const user = { id: "7d5c", email: "isla@visitors.example" };
const stored = { access_token: "a", refresh_token: "r", expires_at: 1, expires_in: 3600, user };

function storeOver(text: string | null) {
  const storage = { text };
  return { storage, store: createSessionStore(() => ({ getItem: () => storage.text })) };
}

test("a stored session is signed in; its state has no tokens, and is the same object while the text is the same", () => {
  const { storage, store } = storeOver(JSON.stringify({ ...stored, user: { ...user, app_metadata: {} } }));
  const first = store.current();
  expect(first).toEqual({ status: "signed-in", user });
  expect(store.current()).toBe(first);
  storage.text = JSON.stringify({ ...stored, access_token: "b" });
  expect(store.current()).toEqual(first);
  storage.text = null;
  expect(store.current()).toEqual({ status: "signed-out" });
});

test.each([
  null,
  '{"access_token":',
  '"hello"',
  "null",
  JSON.stringify({ ...stored, user: null }),
  JSON.stringify({ ...stored, user: { id: "7d5c" } }),
  JSON.stringify({ user }),
])("%s is signed out", (text) => {
  expect(storeOver(text).store.current()).toEqual({ status: "signed-out" });
});

test("storage that throws is signed out", () => {
  const store = createSessionStore(() => expect.fail());
  expect(store.current()).toEqual({ status: "signed-out" });
});
