import type { Toast } from "../ui/toasts.ts";
import { htmlCopied, htmlNotCopied, linkCopied, linkNotCopied } from "./copy-texts.ts";

export async function copyLink(url: string, whatNow: string): Promise<Toast> {
  return (await copyText(url)) ? linkCopied(whatNow) : linkNotCopied(url);
}

export async function copyHtml(html: string): Promise<Toast> {
  return (await copyText(html)) ? htmlCopied : htmlNotCopied;
}

/** Old in-app browsers can only copy the selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
