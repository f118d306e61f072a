import type { Identifier } from "@mdn/browser-compat-data";
import { type AnyNode, type Program, parse } from "acorn";
import { fullAncestor } from "acorn-walk";
import { api, isNewer, javascript, partOf, partsOf } from "./newer-features.ts";

/** The oldest browsers know the syntax of this standard, except static blocks and lookbehind. */
const ECMA_VERSION = 2022;
const { builtins = {} } = javascript;

/** Each is the only object of its interface. */
const singletons = ["crypto", "document", "history", "location", "navigator", "performance", "screen"];
const windows = ["window", "self", "globalThis"];
const iterators = ["entries", "keys", "matchAll", "values"];

/** Found only by name: members of interfaces that the oldest browsers know. */
const membersByName = Map.groupBy(
  [
    ...partsOf(api).filter(([, type]) => !isNewer(type)),
    ...partsOf(builtins).filter(([name, type]) => name === "Iterator" || !isNewer(type)),
    ...partsOf(builtins.Intl),
  ].flatMap(([, type]) => partsOf(type)),
  ([name]) => name.replace(/_static$/, ""),
);
const builtinMembers = new Set(
  partsOf(builtins)
    .flatMap(([, type]) => partsOf(type))
    .flatMap(([name, member]) => (member.__compat?.status?.standard_track ? name : [])),
);

/** Features in scripts that one of the oldest browsers lacks, also after a feature test. */
export function newerInScripts(scripts: readonly string[]): string[] {
  return [...new Set(scripts.flatMap(newerInScript))].sort();
}

function newerInScript(text: string): string[] {
  const found: (string | undefined)[] = [];
  let program: Program;
  try {
    program = parse(text, { ecmaVersion: ECMA_VERSION, sourceType: "module" });
  } catch (error) {
    return [`syntax: ${error}`];
  }
  fullAncestor(program, (visited, _, ancestors) => {
    const node = visited as AnyNode;
    const parent = ancestors.at(-2) as AnyNode | undefined;
    if (node.type === "ObjectPattern")
      for (const property of node.properties)
        if (property.type === "Property") found.push(newerMember(undefined, nameOf(property.key), false));
    found.push(newerSyntax(node) ?? newerName(node, parent));
  });
  return found.filter((name) => name !== undefined);
}

function newerSyntax(node: AnyNode): string | undefined {
  if (node.type === "StaticBlock" && isNewer(javascript.classes?.static?.initialization_blocks))
    return "static {}";
  const pattern = node.type === "Literal" ? (node.regex?.pattern ?? nameOf(node)) : undefined;
  if (pattern && /\(\?<[=!]/.test(pattern) && isNewer(javascript.regular_expressions?.lookbehind_assertion))
    return `lookbehind in ${pattern.slice(0, 60)}`;
  // The parser refuses unknown flags of a literal.
  if ((node.type !== "NewExpression" && node.type !== "CallExpression") || nameOf(node.callee) !== "RegExp")
    return undefined;
  const flags = node.arguments[1] && nameOf(node.arguments[1]);
  return flags?.includes("v") && isNewer(builtins.RegExp?.unicodeSets) ? "RegExp flag v" : undefined;
}

function newerName(node: AnyNode, parent: AnyNode | undefined): string | undefined {
  if (node.type === "Identifier") return isReference(node, parent) ? newerGlobal(node.name) : undefined;
  if (node.type !== "MemberExpression") return undefined;
  const name = memberName(node);
  return newerMember(node.object, name, parent?.type === "CallExpression" && parent.callee === node);
}

/** Whether an identifier is a value, not the name of a member. */
function isReference(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === "MemberExpression") return parent.object === node || parent.computed;
  if (parent?.type === "Property") return parent.value === node || parent.shorthand;
  return parent?.type !== "MethodDefinition" && parent?.type !== "PropertyDefinition";
}

function newerGlobal(name: string): string | undefined {
  const features = [partOf(api, name), partOf(builtins, name), partOf(api.Window, name)];
  const known = features.filter((feature) => feature?.__compat);
  return known.length > 0 && known.every(isNewer) ? name : undefined;
}

/** @param byName whether names that only newer interfaces have count for any object */
function newerMember(object: AnyNode | undefined, name: string | undefined, byName: boolean) {
  if (name === undefined) return undefined;
  const owner = object && (nameOf(object) ?? memberName(object));
  if (owner !== undefined && windows.includes(owner)) return newerGlobal(name);
  const exact = owner === undefined ? undefined : exactMember(owner, object?.type === "Identifier", name);
  if (exact) return isNewer(exact) ? `${owner}.${name}` : undefined;
  if (object && isIterator(object) && isNewer(partOf(builtins.Iterator, name)))
    return `Iterator.prototype.${name}`;
  const members = membersByName.get(name) ?? [];
  const isNew = members.length > 0 && members.every(([, member]) => isNewer(member));
  return isNew && (byName || builtinMembers.has(name)) ? `.${name}()` : undefined;
}

function exactMember(owner: string, isGlobal: boolean, name: string): Identifier | undefined {
  if (singletons.includes(owner))
    return partOf(api[owner.replace(/^./, (first) => first.toUpperCase())], name);
  if (!isGlobal) return undefined;
  return partOf(api[owner], `${name}_static`) ?? partOf(partOf(builtins, owner), name);
}

/** Whether it is a call such as `map.values()`; `Object.values(map)` is an array. */
function isIterator(node: AnyNode): boolean {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  return iterators.includes(memberName(node.callee) ?? "") && nameOf(node.callee.object) !== "Object";
}

function nameOf(node: AnyNode): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "TemplateLiteral" && node.quasis.length === 1) return node.quasis[0]?.value.raw;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function memberName(node: AnyNode): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  return node.computed && node.property.type === "Identifier" ? undefined : nameOf(node.property);
}
