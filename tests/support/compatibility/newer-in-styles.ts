import type { Identifier } from "@mdn/browser-compat-data";
import { type AtRule, type Declaration, type Node, parse, type Rule } from "postcss";
import { css, isNewer, partOf, partsOf } from "./newer-features.ts";

const { "at-rules": atRules, properties, selectors, types } = css;
const lengths = partOf(types, "length");

/** By pattern: MDN's data has one feature for all units of small, of large and of dynamic viewports. */
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

type Use = [name: string, feature: Identifier | undefined];

/** Outside of `@supports`. Names that MDN's data does not have, such as most prefixed ones, are allowed. */
export function newerInStyles(text: string): string[] {
  const found = new Set<string>();
  const find = (node: Node, uses: Use[]) => {
    const isAsked = outersOf(node).some(
      (outer) => outer.type === "atrule" && Object(outer).name === "supports",
    );
    for (const [name, feature] of uses) if (!isAsked && isNewer(feature)) found.add(name);
  };
  const root = parse(text);
  root.walkDecls((node) => find(node, usesOfDeclaration(node)));
  root.walkRules((node) => find(node, usesOfRule(node)));
  root.walkAtRules((node) => find(node, usesOfAtRule(node)));
  return [...found].sort();
}

function usesOfDeclaration({ prop, value }: Declaration): Use[] {
  const property = partOf(properties, prop);
  const words = isNewer(property) ? [] : matches(value, /(?<![\w-])([a-z][\w-]*)(?![\w(-])/g);
  const unitOf = (unit: string) => units.find(([pattern]) => pattern.test(unit))?.[1];
  return [
    [prop, property],
    ...words.map((word): Use => [`${prop}: ${word}`, partOf(property, word)]),
    ...matches(value, /[\d.]([a-z]+)\b/g).map((unit): Use => [`unit ${unit}`, unitOf(unit)]),
    ...matches(value, /(?<![\w-])([a-z][\w-]*)\(/g).map((name): Use => [`${name}()`, functions.get(name)]),
  ];
}

/** Browsers skip the whole rule, so that each one is reported. */
function usesOfRule(rule: Rule): Use[] {
  const pseudo = matches(rule.selector, /(?<!\\):([a-z-]+)/g);
  const isNested = outersOf(rule).some(({ type }) => type === "rule");
  return [
    ...pseudo.map((name): Use => [`:${name} in ${rule.selector}`, partOf(selectors, name)]),
    ...(isNested ? [[`nesting in ${rule.selector}`, partOf(selectors, "nesting")] as Use] : []),
  ];
}

function usesOfAtRule({ name, params }: AtRule): Use[] {
  const rule = partOf(atRules, name);
  const media = name === "media" ? matches(params, /([<>]|\(\s*[a-z-]+)/g) : [];
  const featureOf = (part: string) =>
    partOf(rule, /[<>]/.test(part) ? "range_syntax" : part.replace(/^\(\s*(min-|max-)?/, ""));
  return [[`@${name}`, rule], ...media.map((part): Use => [`@media ${params}`, featureOf(part)])];
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, first]) => first ?? []);
}

function outersOf({ parent }: Node): Node[] {
  return parent ? [parent, ...outersOf(parent)] : [];
}
