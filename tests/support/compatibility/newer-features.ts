import compatibilityData from "@mdn/browser-compat-data" with { type: "json" };
import type { CompatStatement, Identifier, SimpleSupportStatement } from "@mdn/browser-compat-data";
import { oldestBrowsers } from "../../../scripts/oldest-browsers.ts";

const { api, css, javascript } = compatibilityData;

export { api, css, javascript };

/** Whether any of the oldest browsers lacks a feature. False for features that MDN's data does not have. */
export function isNewer(feature: Identifier | undefined): boolean {
  const support = feature?.__compat?.support;
  if (!support) return false;
  return Object.entries(oldestBrowsers).some(([browser, version]) => {
    const statements = support[
      browser as keyof typeof oldestBrowsers
    ] as CompatStatement["support"]["chrome"];
    if (!statements) return false;
    return ![statements].flat().some((statement) => supports(statement, version));
  });
}

function supports(statement: SimpleSupportStatement, version: string): boolean {
  const { version_added: added, version_removed: removed, flags, prefix, alternative_name } = statement;
  if (flags || prefix || alternative_name || !isUpTo(added, version)) return false;
  return !isUpTo(removed, version);
}

function isUpTo(version: string | false | undefined, other: string): boolean {
  if (!version || version === "preview") return false;
  return version.replace("≤", "").localeCompare(other, "en", { numeric: true }) <= 0;
}

export function partsOf(feature: Identifier | undefined): [name: string, part: Identifier][] {
  const { __compat: _, ...parts } = feature ?? {};
  return Object.entries(parts);
}

export function partOf(feature: Identifier | undefined, name: string): Identifier | undefined {
  return feature && name !== "__compat" && Object.hasOwn(feature, name) ? feature[name] : undefined;
}
