// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from "vitest";
import { mount } from "../../tests/support/mount.ts";
import { retryWait, useRetry } from "./use-retry.ts";
import { useReturn } from "./use-return.ts";

async function open(use: (call: () => void) => void) {
  const call = vi.fn();
  const page = await mount(() => {
    use(call);
    return null;
  });
  onTestFinished(() => void Reflect.deleteProperty(document, "hidden"));
  async function setHidden(hidden: boolean): Promise<void> {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    await page.dispatch(document, new Event("visibilitychange"));
  }
  function calls(): number {
    const { length } = call.mock.calls;
    call.mockClear();
    return length;
  }
  return { ...page, setHidden, calls };
}

test("what failed is tried every 15 s, online again and shown again, but not while hidden", async () => {
  const { pass, dispatch, setHidden, calls } = await open((retry) => useRetry(retryWait(), retry));
  expect(calls()).toBe(0);
  await pass(15_000);
  expect(calls()).toBe(1);
  await dispatch(window, new Event("online"));
  expect(calls()).toBe(1);
  await setHidden(true);
  await pass(60_000);
  expect(calls()).toBe(0);
  await setHidden(false);
  expect(calls()).toBe(1);
});

test.each([
  ["later than 15 s", 40, 40],
  ["sooner", 5, 15],
  ["in a year", 31_536_000, 300],
])("a response that asks for a try %s is retried after that, within limits", async (_, asked, wait) => {
  const { pass, dispatch, calls } = await open((retry) => useRetry(retryWait(asked * 1_000), retry));
  await pass(wait * 1_000 - 2_000);
  expect(calls()).toBe(0);
  await pass(2_000);
  expect(calls()).toBe(1);
  await dispatch(window, new Event("online"));
  expect(calls()).toBe(1);
});

test("what did not fail is not tried again", async () => {
  const { pass, dispatch, calls } = await open((retry) => useRetry(null, retry));
  await pass(60_000);
  await dispatch(window, new Event("online"));
  expect(calls()).toBe(0);
});

test("a tab hidden for five minutes and a page from the back/forward cache are refreshed", async () => {
  const { pass, dispatch, setHidden, calls } = await open((refresh) => useReturn(refresh));
  for (const [minutes, refreshes] of [
    [4, 0],
    [5, 1],
  ] as const) {
    await setHidden(true);
    await pass(minutes * 60_000);
    await setHidden(false);
    expect(calls()).toBe(refreshes);
  }
  for (const persisted of [false, true]) {
    await dispatch(window, Object.assign(new Event("pageshow"), { persisted }));
    expect(calls()).toBe(persisted ? 1 : 0);
  }
});
