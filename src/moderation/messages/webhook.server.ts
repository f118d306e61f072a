import type { WebhookConfig } from "../../config/environment.server.ts";

/** In ms. */
const TIMEOUT = 10_000;

/** @param quote makes a stranger's text harmless in the service that shows it */
export type WriteMessage = (quote: (text: string) => string) => string;

/** Slack reads `text`, Discord `content`, ntfy `message`. @throws Error without the URL, which is a secret */
export async function postMessage(
  { url, format }: Pick<WebhookConfig, "url" | "format">,
  write: WriteMessage,
  stop: AbortSignal,
) {
  const text = write(quoteForSlack);
  const allServices = {
    text,
    content: write(quoteForDiscord),
    message: write((text) => text),
    // Discord: strangers must not be able to mention anybody.
    allowed_mentions: { parse: [] },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(format === "text" ? { text } : allServices),
    redirect: "manual",
    signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it was answered with ${response.status}`);
}

/** In Slack, `<…>` is a link or a mention. */
function quoteForSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** In Discord, these characters format text, and hide where a link leads. */
function quoteForDiscord(text: string): string {
  return text.replace(/[\\*_~`|[\]<>#]/g, "\\$&");
}

/** In characters. The other services take longer messages. */
const DISCORD_MAX = 2_000;

export function fits(write: WriteMessage): boolean {
  return write(quoteForDiscord).length <= DISCORD_MAX;
}

const links = /:(?=\/\/)|[.\u3002\uFF0E\uFF61](?=\p{N}*\p{L}[\p{L}\p{M}\p{N}-])|(?<=\d)\.(?=\d+\.\d)/gu;

/** A stranger's text on one line, without addresses that services would link: `https[:]//evil[.]example`. */
export function toPlainLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim().replace(links, "[$&]");
}
