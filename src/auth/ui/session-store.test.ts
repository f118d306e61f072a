import { expect, test } from "vitest";
import { createSessionStore } from "./session-store.ts";

const user = { id: "7d5c", email: "isla@visitors.example" };
const stored = { access_token: "a", refresh_token: "r", expires_at: 1, expires_in: 3600, user };

/** A store over storage that holds what the test put there. */
function storeOver(text: string | null) {
  const held = { text };
  return { held, store: createSessionStore(() => ({ getItem: () => held.text })) };
}

test("nothing stored is nobody", () => {
  expect(storeOver(null).store.current()).toEqual({ status: "signed-out" });
});

test("a stored session is somebody, with nothing of the tokens", () => {
  const { store } = storeOver(JSON.stringify({ ...stored, user: { ...user, app_metadata: {} } }));
  expect(store.current()).toEqual({ status: "signed-in", user });
});

test.each([
  ["broken text", '{"access_token":'],
  ["something else", '"hello"'],
  ["null", "null"],
  ["a session without a user", JSON.stringify({ ...stored, user: null })],
  ["a user without an e-mail", JSON.stringify({ ...stored, user: { id: "7d5c" } })],
  ["a session without tokens", JSON.stringify({ user })],
])("%s is nobody", (_, text) => {
  expect(storeOver(text).store.current()).toEqual({ status: "signed-out" });
});

test("storage that throws is nobody", () => {
  const store = createSessionStore(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  expect(store.current()).toEqual({ status: "signed-out" });
});

test("the state is the same object for as long as the stored text is the same", () => {
  const { held, store } = storeOver(JSON.stringify(stored));
  const first = store.current();
  expect(store.current()).toBe(first);
  held.text = JSON.stringify({ ...stored, access_token: "b" });
  const second = store.current();
  expect(second).toEqual(first);
  expect(store.current()).toBe(second);
  held.text = null;
  expect(store.current()).toEqual({ status: "signed-out" });
});

test("listeners are told until they leave", () => {
  const { store } = storeOver(null);
  const told: string[] = [];
  const leave = store.subscribe(() => told.push("first"));
  store.subscribe(() => told.push("second"));
  store.notify();
  leave();
  store.notify();
  expect(told).toEqual(["first", "second", "second"]);
});
