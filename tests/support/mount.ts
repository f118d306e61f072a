import { setImmediate } from "node:timers/promises";
import { createElement, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, RouterProvider } from "react-router";
import { onTestFinished, vi } from "vitest";
import { ToastProvider } from "../../src/ui/toast.tsx";

/** In ms. Longer than a paint and the work after it. */
const STEP = 400;

/** With happy-dom, which has neither layout nor animations, and a fake clock. */
export async function mount(component: () => ReactNode) {
  vi.useFakeTimers();
  Element.prototype.scrollIntoView ??= () => {};
  const content = createElement(ToastProvider, null, createElement(component));
  const router = createMemoryRouter([{ path: "*", element: content }]);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  onTestFinished(() => {
    root.unmount();
    document.body.replaceChildren();
    sessionStorage.clear();
    localStorage.clear();
    vi.useRealTimers();
  });
  root.render(createElement(RouterProvider, { router }));
  await pass();

  const all = (selector: string, name?: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].filter(
      (element) => name === undefined || nameOf(element) === name,
    );
  function one(selector: string, name?: string): HTMLElement {
    const [only, ...others] = all(selector, name);
    if (!only || others.length > 0)
      throw new Error(`There are ${others.length + (only ? 1 : 0)} of ${selector} ${name ?? ""}`);
    return only;
  }
  async function dispatch(element: EventTarget, event: Event): Promise<void> {
    element.dispatchEvent(event);
    await pass();
  }

  return {
    one,
    all,
    texts: (selector: string) => all(selector).map(textOf),
    dispatch,
    pass,
    async press(name: string, selector = "button, input") {
      const element = one(selector, name);
      element.focus();
      element.click();
      await pass();
    },
    async type(text: string) {
      const field = one("textarea");
      // React ignores values that it set itself.
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(field, text);
      await dispatch(field, new Event("input", { bubbles: true }));
    },
    key: (key: string) =>
      dispatch(document.activeElement ?? document.body, new KeyboardEvent("keydown", { key, bubbles: true })),
  };
}

async function pass(ms = STEP): Promise<void> {
  const turns = 4;
  for (let turn = 0; turn < turns; turn++) {
    // React renders, and responses are read, in real event-loop turns.
    await setImmediate();
    await vi.advanceTimersByTimeAsync(ms / turns);
  }
  await setImmediate();
}

function textOf(element: Element): string {
  return (element.textContent ?? "").replace(/\s+/g, " ").trim();
}

function nameOf(element: Element): string {
  const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined;
  return element.getAttribute("aria-label") ?? textOf(label ?? element);
}
