import { tracking, webAddress } from "../domain/show-query.ts";

/** `www.` or a path tells an address without its scheme from a word with a full stop. */
const bareAddress = /(?:^|\s)((?:www\.[^\s<>"]+|(?:[a-z\d-]+\.)+[a-z]{2,}\/[^\s<>"]+))/i;

/**
 * Equal for all spellings of one page's address (docs/product.md §2.24). Undefined if the text contains no address.
 */
export function websiteKey(text: string): string | undefined {
  const bare = bareAddress.exec(text)?.[1];
  const address = webAddress.exec(text)?.[0] ?? (bare && `https://${bare}`);
  if (!address) return undefined;
  try {
    const { host, pathname, search } = new URL(address.replace(/[.,;:!?'")\]]+$/, ""));
    const parameters = search.replace(tracking, "$1").split(/[?&]+/).filter(Boolean).join("&");
    return `${host.replace(/^www\./, "")}${pathname.replace(/\/+$/, "")}?${parameters}`;
  } catch {
    // No address, or none that a browser could open.
  }
}
