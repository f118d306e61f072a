import { attempt } from "./attempt.ts";

const KEY = "front-row-left-page";

export interface LeftPage {
  address: string;
  /** In CSS pixels. */
  scroll: number;
  pressed?: string | undefined;
}

/** docs/product.md §6.20. Without a button, that of an earlier press on the same page stays. */
export function rememberPage(pressed?: string): void {
  const address = window.location.pathname + window.location.search;
  const last = recallPage();
  const page = {
    address,
    scroll: window.scrollY,
    pressed: pressed ?? (last?.address === address ? last.pressed : undefined),
  };
  // Without storage a sign-in leads to the start page.
  attempt(() => window.sessionStorage.setItem(KEY, JSON.stringify(page)));
}

export function recallPage(): LeftPage | null {
  return attempt(() => JSON.parse(window.sessionStorage.getItem(KEY) ?? "null"));
}

export function forgetPage(): void {
  attempt(() => window.sessionStorage.removeItem(KEY));
}
