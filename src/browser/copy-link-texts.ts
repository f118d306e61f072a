import type { Toast } from "../ui/toasts.ts";

export function linkCopied(whatNow: string): Toast {
  return { title: "Link copied", description: whatNow };
}

export function linkNotCopied(url: string): Toast {
  return { title: "The link could not be copied", description: url, destructive: true };
}
