// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { mount } from "../../tests/support/mount.ts";
import { useDismissFailure, useToast } from "./toast.tsx";
import { readingTime, type Toast } from "./toasts.ts";

const signIn: Toast = { title: "Sign in required", description: "Please sign in to review shows." };
const failed: Toast = { title: "Error", description: "Please try again.", destructive: true };

async function open(...toasts: Toast[]) {
  const page = await mount(() => {
    const [show, dismissFailure] = [useToast(), useDismissFailure()];
    const buttons = toasts.map((toast) => [toast.title, () => show(toast)] as const);
    return [...buttons, ["Retry", () => dismissFailure("review")] as const].map(([name, press]) => (
      <button key={name} type="button" onClick={press}>
        {name}
      </button>
    ));
  });
  const shown = () => page.texts(".toast .toast-title");
  return { ...page, shown };
}

test("a toast is added to a region that was there, a failure is an alert; Escape dismisses the newest", async () => {
  const { one, press, key, shown, texts } = await open(signIn, failed);
  const region = one("section[aria-label=Notifications] > [aria-live=polite]");
  expect(texts(".toast")).toEqual([]);
  await press("Sign in required");
  expect(region.textContent).toContain(`${signIn.title}${signIn.description}`);
  await press("Error");
  expect(one("[role=alert]").textContent).toContain(failed.description);
  const announced = ":is([aria-live], [role=status], [role=alert])";
  expect(texts(`${announced} ${announced}`)).toEqual([]);
  // Neither takes the focus.
  expect(document.activeElement).toBe(one("button", "Error"));
  await key("Escape");
  expect(shown()).toEqual(["Sign in required"]);
  await key("Escape");
  expect(shown()).toEqual([]);
});

test("a toast replaces equal ones and those of its topic, and at most three stay (docs/product.md §5.17)", async () => {
  const topic = "review";
  const others = ["Sent", "One", "Two"].map((title, index) => ({
    title,
    description: "",
    ...(index === 0 && { topic }),
  }));
  const { one, press, shown } = await open(signIn, { ...failed, topic }, ...others);
  await press("Sign in required");
  const first = one(".toast");
  await press("Sign in required");
  // Announced again.
  expect(one(".toast")).not.toBe(first);
  await press("Error");
  await press("Sent");
  await press("Retry");
  expect(shown()).toEqual(["Sign in required", "Sent"]);
  await press("Error");
  expect(shown()).toEqual(["Sign in required", "Error"]);
  await press("Retry");
  expect(shown()).toEqual(["Sign in required"]);
  for (const { title } of others) await press(title);
  expect(shown()).toEqual(["Sent", "One", "Two"]);
});

test("a toast closes after its reading time, but not while it is hovered or focused", async () => {
  const { one, press, pass, dispatch, shown } = await open(signIn);
  await press("Sign in required");
  await pass(5_500);
  expect(shown()).toHaveLength(1);
  expect(readingTime(signIn)).toBeGreaterThan(readingTime(failed));
  // React derives pointerenter and pointerleave from these.
  await dispatch(one(".toast"), new PointerEvent("pointerover", { bubbles: true }));
  await pass(60_000);
  expect(shown()).toHaveLength(1);
  await dispatch(one(".toast"), new PointerEvent("pointerout", { bubbles: true }));
  await pass(readingTime(signIn));
  expect(shown()).toEqual([]);
  await press("Sign in required");
  one("button", "Dismiss notification").focus();
  await pass(60_000);
  expect(shown()).toHaveLength(1);
});
