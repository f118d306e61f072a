import { z } from "zod";
import { isLoopback } from "../lib/loopback.server.ts";

/** Names and addresses that can exist. `URL` accepts `*` and empty labels in names. */
const host = /^(\[[\da-f:.]+\]|[a-z\d_-]+(\.[a-z\d_-]+)*)$/;

/** The URL of a server, without what would be ignored or ends up in logs; null if a text is none. */
function parseServerUrl(text: string): URL | null {
  // `URL` also takes `https:host`, backslashes and line breaks.
  const url = /^https?:\/\/[^\s\\#]+$/i.test(text) ? URL.parse(text) : null;
  return url && host.test(url.hostname) && !url.username && !url.password ? url : null;
}

/** Scheme, host and port. */
export const originSetting = z
  .string()
  .trim()
  .refine(
    (text) => {
      const url = parseServerUrl(text);
      return url !== null && url.href === `${url.origin}/`;
    },
    { error: "must be scheme, host and port alone, such as https://name.example" },
  )
  .transform((text) => new URL(text).origin);

/** A server, and the path under which it answers. */
export const serverUrlSetting = z
  .string()
  .trim()
  .refine((text) => parseServerUrl(text) && !text.includes("?"), {
    error: "must be an http(s) URL without user name, query, # and wildcards",
  });

/** May have a query. `fetch` refuses URLs with a user name. */
export const webhookUrlSetting = z
  .string()
  .trim()
  .refine(
    (text) => parseServerUrl(text)?.protocol === "https:" || (parseServerUrl(text) && isLoopback(text)),
    {
      error: "must be an https URL without user and password; http is for this machine alone",
    },
  );

/** A page, or what a custom scheme opens: compared exactly. */
export const redirectUrlSetting = z
  .url({
    protocol: /^(?!javascript|data|vbscript|blob|file|about)/,
    error: "must be URLs, separated by commas",
  })
  .refine((text) => !text.includes("*") && (!/^https?:/i.test(text) || parseServerUrl(text) !== null), {
    error: "must be exact URLs without user name, # and wildcards, separated by commas",
  });
