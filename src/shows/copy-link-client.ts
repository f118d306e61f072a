import { copyText } from "../browser/copy-text-client.ts";
import type { Toast } from "../ui/toast-store.ts";

/** Copies a link. Returns the toast that says whether that worked (docs/product.md §3.12). */
export async function copyLink(url: string): Promise<Toast> {
  return (await copyText(url))
    ? { title: "Link copied", description: "Paste it wherever you want to share it." }
    : { title: "The link could not be copied", description: url, destructive: true };
}
