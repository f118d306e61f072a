import { decodeEntities } from "./html-text.server.ts";

/** In UTF-16 code units (docs/product.md §7.6). */
const MAX_WEBSITE = 2_000;

const entity = /&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/gi;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const otherScheme = /^(?:about|blob|data|file|ftp|javascript|mailto|sms|tel|vbscript):/i;

/** Schemes may be doubled, or lack a colon or a slash: `http://https//`. */
const schemes = String.raw`(?:https?(?::[/\\]*|[/\\]{2,})(?:www\.(?=https?[:/]))?)+`;
const startingSchemes = new RegExp(`^${schemes}`, "i");
const rest = String.raw`[^\s<>"]*`;
const withScheme = new RegExp(`(?<!\\p{L})${schemes}${rest}`, "giu");
const label = String.raw`[\p{L}\d](?:[\p{L}\d_-]*[\p{L}\d])?`;
/** Not the second half of an e-mail address. */
const withoutScheme = new RegExp(
  String.raw`(?<![\p{L}\d@._/-])(?:${label}\.)+\p{L}{2,}(?::\d+)?(?:(?=[\s<>",;.!)\]]|$)|[/?#]${rest})`,
  "giu",
);
/** A sentence without a space before it, not a host: `at the door.More soon`. */
const sentences = /^(?!www\.)[^/?#:]*\.\p{Lu}\p{Ll}+(?:[/?#:]|$)/u;

const hostLabel = /^(?!-)[a-z\d_-]{1,63}(?<!-)$/;
const topLevel = /^(?:[a-z]{2,63}|xn--[a-z\d-]{1,59})$/;
/** Private networks, names of files, and a second scheme. */
const noTopLevel =
  /^(?:arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test|aspx?|docx?|gif|html?|jpe?g|pdf|php|png|.*https?)$/;

/** Null without a public http(s) URL, or with several. Parsing a result returns it unchanged. */
export function parseWebsite(website: string): string | null {
  if (website.length > MAX_WEBSITE) return null;
  const text = decode(website).trim();
  if (otherScheme.test(text)) return null;
  const isAlone = !/[\s<>"]/.test(text);
  const found = text.match(withScheme) ?? text.match(withoutScheme)?.filter((host) => !sentences.test(host));
  const urls = new Set((found ?? []).map((address) => toUrl(address, isAlone)).filter((url) => url !== null));
  const [url = null, ...others] = urls;
  return others.length === 0 ? url : null;
}

/** Entities may be encoded twice. Empty if they are encoded more often than any honest text. */
function decode(text: string, times = 8): string {
  const decoded = text
    .replace(entity, (encoded) => decodeEntities(encoded))
    .replace(invisible, "")
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, " ");
  if (decoded === text) return text;
  return times > 0 ? decode(decoded, times - 1) : "";
}

function toUrl(address: string, isAlone: boolean): string | null {
  const [given = ""] = address.match(startingSchemes) ?? [];
  const scheme =
    given
      .toLowerCase()
      .match(/https?/g)
      ?.at(-1) ?? "https";
  const url = URL.parse(`${scheme}://${trimEnd(address.slice(given.length), isAlone)}`);
  if (!url || url.username || url.password || !isPublic(url.hostname)) return null;
  // Parsing may remove one bracket of a pair.
  const { href } = url;
  return trimEnd(href, isAlone) === href ? href : toUrl(href, isAlone);
}

const openings: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** Keeps brackets of the address: `/wiki/Hat_(show)`. */
function trimEnd(address: string, isAlone: boolean): string {
  const surplus = (closing: string) =>
    address.split(closing).length - address.split(openings[closing] ?? "").length;
  const unpaired = new Map(Object.keys(openings).map((closing) => [closing, surplus(closing)]));
  let end = address.length;
  for (; end > 0; end--) {
    const last = address.charAt(end - 1);
    const left = unpaired.get(last) ?? 0;
    if (left > 0) unpaired.set(last, left - 1);
    else if (!".,;:'’”»".includes(last) && (isAlone || !"!?".includes(last))) break;
  }
  return address.slice(0, end);
}

function isPublic(host: string): boolean {
  const labels = host.split(".");
  const last = labels.at(-1) ?? "";
  const isName = host.length <= 253 && labels.length > 1 && labels.every((one) => hostLabel.test(one));
  return isName && topLevel.test(last) && !noTopLevel.test(last);
}
