import { attempt } from "./attempt.ts";

const KEY = "front-row-left-page";

/** A page of this site, as it was when it was left to sign in. */
export interface LeftPage {
  /** Path and query. */
  address: string;
  /** How far it was scrolled, in CSS pixels. */
  scroll: number;
  /** The id of the button whose press asked for a session. */
  pressed?: string | undefined;
}

/**
 * Keeps the page in this tab until the user is signed in (docs/product.md §6.20). Without a button, that of
 * an earlier press on the same page stays.
 */
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
  // Nothing else writes it.
  return attempt(() => JSON.parse(window.sessionStorage.getItem(KEY) ?? "null"));
}

export function forgetPage(): void {
  attempt(() => window.sessionStorage.removeItem(KEY));
}
