import { orNull } from "./storage.ts";

const KEY = "front-row-left-page";

export interface ReturnTo {
  address: string;
  /** In CSS pixels. */
  scroll: number;
  pressed?: string | undefined;
}

/** docs/product.md §6.20. Without `pressed`, the stored button of the same page stays. */
export function rememberReturnTo(pressed?: string): void {
  const address = window.location.pathname + window.location.search;
  const last = recallReturnTo();
  const page = {
    address,
    scroll: window.scrollY,
    pressed: pressed ?? (last?.address === address ? last.pressed : undefined),
  };
  // Without storage a sign-in leads to the start page.
  orNull(() => window.sessionStorage.setItem(KEY, JSON.stringify(page)));
}

export function recallReturnTo(): ReturnTo | null {
  return orNull(() => JSON.parse(window.sessionStorage.getItem(KEY) ?? "null"));
}

export function forgetReturnTo(): void {
  orNull(() => window.sessionStorage.removeItem(KEY));
}
