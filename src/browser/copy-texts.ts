import type { Toast } from "../ui/toasts.ts";

export function linkCopied(whatNow: string): Toast {
  return { title: "Link copied", description: whatNow };
}

export function linkNotCopied(url: string): Toast {
  return { title: "The link could not be copied", description: url, destructive: true };
}

export const htmlCopied: Toast = { title: "HTML copied", description: "Paste it into your page." };

export const htmlNotCopied: Toast = {
  title: "The HTML could not be copied",
  description: "Please select it and copy it.",
  destructive: true,
};
