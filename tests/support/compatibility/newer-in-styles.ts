import type { Identifier } from "@mdn/browser-compat-data";
import { type AtRule, type Container, type Declaration, type Node, parse, type Rule } from "postcss";
import { css, isNewer, partOf, partsOf } from "./newer-features.ts";

const { "at-rules": atRules, properties, selectors, types } = css;
const lengths = partOf(types, "length");

/** Units by pattern: the data has one feature for all units of small, large and dynamic windows each. */
const units: [unit: RegExp, feature: Identifier | undefined][] = [
  [/^dv/, partOf(lengths, "viewport_percentage_units_dynamic")],
  [/^sv/, partOf(lengths, "viewport_percentage_units_small")],
  [/^lv/, partOf(lengths, "viewport_percentage_units_large")],
  [/^cq/, partOf(lengths, "container_query_length_units")],
  ...partsOf(lengths).map(([name, feature]): [RegExp, Identifier] => [new RegExp(`^${name}$`), feature]),
];

/** The data has functions, such as `color-mix`, at different depths. */
const functions = new Map(allPartsOf(types));

function allPartsOf(feature: Identifier | undefined): [name: string, part: Identifier][] {
  return partsOf(feature).flatMap(([name, part]) => [...allPartsOf(part), [name, part]]);
}

interface Use {
  name: string;
  feature: Identifier | undefined;
}

/**
 * What a style sheet uses outside of `@supports` that an oldest browser lacks. What the data does not know,
 * such as most prefixed names, counts as known.
 */
export function newerInStyles(text: string): string[] {
  const found = new Set<string>();
  parse(text).walk((node) => {
    if (isInside(node, isSupports)) return;
    for (const { name, feature } of usesOf(node)) if (isNewer(feature)) found.add(name);
  });
  return [...found].sort();
}

function usesOf(node: Node): Use[] {
  if (isDeclaration(node)) return usesOfDeclaration(node);
  if (isRule(node)) return usesOfRule(node);
  return isAtRule(node) ? usesOfAtRule(node) : [];
}

function usesOfDeclaration({ prop, value }: Declaration): Use[] {
  const property = partOf(properties, prop);
  const words = isNewer(property) ? [] : matches(value, /(?<![\w-])([a-z][\w-]*)(?![\w(-])/g);
  return [
    { name: prop, feature: property },
    ...words.map((word) => ({ name: `${prop}: ${word}`, feature: partOf(property, word) })),
    ...matches(value, /[\d.]([a-z]+)\b/g).map((unit) => ({
      name: `unit ${unit}`,
      feature: units.find(([pattern]) => pattern.test(unit))?.[1],
    })),
    ...matches(value, /(?<![\w-])([a-z][\w-]*)\(/g).map((name) => ({
      name: `${name}()`,
      feature: functions.get(name),
    })),
  ];
}

/** Browsers skip the whole rule, so each one is reported. */
function usesOfRule(rule: Rule): Use[] {
  const uses = matches(rule.selector, /(?<!\\):([a-z-]+)/g).map((name) => ({
    name: `:${name} in ${rule.selector}`,
    feature: partOf(selectors, name),
  }));
  if (isInside(rule, isRule))
    uses.push({ name: `nesting in ${rule.selector}`, feature: partOf(selectors, "nesting") });
  return uses;
}

function usesOfAtRule({ name, params }: AtRule): Use[] {
  const rule = partOf(atRules, name);
  const media = name === "media" ? matches(params, /([<>]|\(\s*[a-z-]+)/g) : [];
  return [
    { name: `@${name}`, feature: rule },
    ...media.map((part) => ({
      name: `@media ${params}`,
      feature: partOf(rule, /[<>]/.test(part) ? "range_syntax" : part.replace(/^\(\s*(min-|max-)?/, "")),
    })),
  ];
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, first]) => first ?? []);
}

function isInside(node: Node, test: (outer: Node) => boolean): boolean {
  const outer: Container | Node["parent"] = node.parent;
  return outer !== undefined && (test(outer) || isInside(outer, test));
}

function isSupports(node: Node): boolean {
  return isAtRule(node) && node.name === "supports";
}

function isDeclaration(node: Node): node is Declaration {
  return node.type === "decl";
}

function isRule(node: Node): node is Rule {
  return node.type === "rule";
}

function isAtRule(node: Node): node is AtRule {
  return node.type === "atrule";
}
