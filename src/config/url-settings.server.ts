import { z } from "zod";
import { isLoopback } from "../lib/loopback.server.ts";

/** Stricter than `URL`, which accepts `*` and empty labels. */
const host = /^(\[[\da-f:.]+\]|[a-z\d_-]+(\.[a-z\d_-]+)*)$/;

/** Null also for parts that would be ignored or logged. */
function parseServerUrl(text: string): URL | null {
  // `URL` also accepts `https:host`, backslashes and line breaks.
  const url = /^https?:\/\/[^\s\\#]+$/i.test(text) ? URL.parse(text) : null;
  return url && host.test(url.hostname) && !url.username && !url.password ? url : null;
}

const isOrigin = (url: URL | null) => url !== null && url.href === `${url.origin}/`;

export const originSetting = z
  .string()
  .trim()
  .refine((text) => isOrigin(parseServerUrl(text)), {
    error: "must be scheme, host and port alone, such as https://name.example",
  })
  .transform((text) => new URL(text).origin);

export const serverUrlSetting = z
  .string()
  .trim()
  .refine((text) => parseServerUrl(text) && !text.includes("?"), {
    error: "must be an http(s) URL without user name, query, # and wildcards",
  });

/** `fetch` refuses URLs with a user name. */
export const webhookUrlSetting = z
  .string()
  .trim()
  .refine((text) => parseServerUrl(text) && (/^https:/i.test(text) || isLoopback(text)), {
    error: "must be an https URL without user and password; http is for this machine alone",
  });

export const redirectUrlSetting = z
  .url({
    protocol: /^(?!javascript|data|vbscript|blob|file|about)/,
    error: "must be URLs, separated by commas",
  })
  .refine((text) => !/[*;]/.test(text) && (!/^https?:/i.test(text) || parseServerUrl(text) !== null), {
    error: "must be exact URLs without user name, #, ; and wildcards, separated by commas",
  });
