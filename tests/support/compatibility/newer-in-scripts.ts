import type { Identifier } from "@mdn/browser-compat-data";
import { type AnyNode, type Program, parse } from "acorn";
import { full, fullAncestor } from "acorn-walk";
import { api, isNewer, javascript, partOf, partsOf } from "./newer-features.ts";

/** The last standard whose syntax the oldest browsers know, but for static blocks and lookbehind. */
const ECMA_VERSION = 2022;

const { builtins = {} } = javascript;

/** What is the only object of its interface. */
const singletons = new Map(
  Object.entries({
    crypto: "Crypto",
    document: "Document",
    history: "History",
    location: "Location",
    navigator: "Navigator",
    performance: "Performance",
    screen: "Screen",
  }),
);

const windows = new Set(["window", "self", "globalThis"]);
const iterators = new Set(["entries", "keys", "matchAll", "values"]);

/** What is found by name alone: members of interfaces that the oldest browsers know. */
const membersByName = Map.groupBy(
  [
    ...partsOf(api).filter(([, type]) => !isNewer(type)),
    ...partsOf(builtins).filter(([name, type]) => name === "Iterator" || !isNewer(type)),
    ...partsOf(builtins.Intl),
  ].flatMap(([, type]) =>
    partsOf(type).map(([name, member]) => ({ name: name.replace(/_static$/, ""), member })),
  ),
  ({ name }) => name,
);
const builtinMembers = new Set(
  partsOf(builtins).flatMap(([, type]) =>
    partsOf(type)
      .filter(([, member]) => member.__compat?.status?.standard_track)
      .map(([name]) => name),
  ),
);

/** A script, and the name that findings are reported by. */
export interface Script {
  name: string;
  text: string;
}

/**
 * What scripts use that an oldest browser lacks, and that no condition around it asks for first: syntax,
 * globals, static members, members of global objects, and methods whose name no older interface has.
 */
export function newerInScripts(scripts: Script[]): string[] {
  const parsed = scripts.map((script) => ({ ...script, program: parseScript(script.text) }));
  const own = ownMembers(parsed.flatMap(({ program }) => (typeof program === "string" ? [] : [program])));
  return parsed.flatMap(({ name, text, program }) => {
    if (typeof program === "string") return [`${name}: ${program}`];
    return [...new Set(newerInScript(program, text, own))].map((finding) => `${name}: ${finding}`);
  });
}

function parseScript(text: string): Program | string {
  try {
    return parse(text, { ecmaVersion: ECMA_VERSION, sourceType: "module" });
  } catch (error) {
    return `syntax: ${error}`;
  }
}

/** The names of members that the scripts define themselves. */
function ownMembers(programs: Program[]): Set<string> {
  const names = new Set<string>();
  for (const program of programs)
    full(program, (node) => {
      const { type } = node as AnyNode;
      if (type === "Property" || type === "MethodDefinition" || type === "PropertyDefinition")
        names.add(nameOf((node as Extract<AnyNode, { type: typeof type }>).key) ?? "");
      if (type === "AssignmentExpression")
        names.add(memberName((node as Extract<AnyNode, { type: typeof type }>).left) ?? "");
    });
  return names;
}

function newerInScript(program: Program, text: string, own: Set<string>): string[] {
  const found: string[] = [];
  fullAncestor(program, (visited, _, ancestors) => {
    const node = visited as AnyNode;
    const around = (ancestors as AnyNode[]).slice(0, -1);
    const feature = newerSyntax(node) ?? newerName(node, around.at(-1), own);
    if (feature && !isGuarded(feature.name, node, around, text)) found.push(feature.label ?? feature.name);
  });
  return found;
}

interface Feature {
  /** What a condition that asks for it mentions. */
  name: string;
  label?: string;
}

function newerSyntax(node: AnyNode): Feature | undefined {
  if (node.type === "StaticBlock" && isNewer(javascript.classes?.static?.initialization_blocks))
    return { name: "static {}" };
  const pattern = patternOf(node);
  if (pattern && /\(\?<[=!]/.test(pattern) && isNewer(javascript.regular_expressions?.lookbehind_assertion))
    return { name: "(?<=", label: `lookbehind in ${pattern.slice(0, 60)}` };
  const flags = flagsOf(node);
  return flags?.includes("v") && isNewer(builtins.RegExp?.unicodeSets)
    ? { name: "v", label: "RegExp flag v" }
    : undefined;
}

function patternOf(node: AnyNode): string | undefined {
  if (node.type === "Literal")
    return node.regex?.pattern ?? (typeof node.value === "string" ? node.value : undefined);
  return node.type === "TemplateElement" ? node.value.raw : undefined;
}

/** The flags of a call of `RegExp`; the parser refuses new ones of a literal. */
function flagsOf(node: AnyNode): string | undefined {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return undefined;
  const [, flags] = node.arguments;
  const isRegExp = node.callee.type === "Identifier" && node.callee.name === "RegExp";
  return isRegExp && flags ? nameOf(flags) : undefined;
}

function newerName(node: AnyNode, parent: AnyNode | undefined, own: Set<string>): Feature | undefined {
  if (node.type === "Identifier" && isReference(node, parent)) return newerGlobal(node.name);
  if (node.type === "ObjectPattern")
    return node.properties
      .map((property) => property.type === "Property" && newerMember(undefined, nameOf(property.key), false))
      .find((feature) => feature !== undefined && feature !== false);
  if (node.type !== "MemberExpression") return undefined;
  const name = memberName(node);
  const isCalled = parent?.type === "CallExpression" && parent.callee === node;
  return newerMember(node.object, name, isCalled && !own.has(name ?? ""));
}

/** Whether an identifier is a value, and not the name of a member. */
function isReference(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === "MemberExpression") return parent.object === node || parent.computed;
  if (parent?.type === "Property") return parent.value === node || parent.shorthand;
  return parent?.type !== "MethodDefinition" && parent?.type !== "PropertyDefinition";
}

function newerGlobal(name: string | undefined): Feature | undefined {
  if (name === undefined) return undefined;
  const features = [partOf(api, name), partOf(builtins, name), partOf(api.Window, name)].filter(
    (feature) => feature?.__compat,
  );
  return features.length > 0 && features.every(isNewer) ? { name } : undefined;
}

/** @param byName whether a name that only newer interfaces have counts, whatever the object is */
function newerMember(
  object: AnyNode | undefined,
  name: string | undefined,
  byName: boolean,
): Feature | undefined {
  if (name === undefined) return undefined;
  const owner = object && (nameOf(object) ?? memberName(object));
  if (owner !== undefined && windows.has(owner)) return newerGlobal(name);
  const exact = owner === undefined ? undefined : exactMember(owner, object?.type === "Identifier", name);
  if (exact) return isNewer(exact) ? { name, label: `${owner}.${name}` } : undefined;
  if (object && isIterator(object) && isNewer(partOf(builtins.Iterator, name)))
    return { name, label: `Iterator.prototype.${name}` };
  const members = membersByName.get(name) ?? [];
  const isNew = members.length > 0 && members.every(({ member }) => isNewer(member));
  return isNew && (byName || builtinMembers.has(name)) ? { name, label: `.${name}()` } : undefined;
}

/** The member of a global object, or of a global interface itself. */
function exactMember(owner: string, isGlobal: boolean, name: string): Identifier | undefined {
  const singleton = singletons.get(owner);
  if (singleton) return partOf(api[singleton], name);
  if (!isGlobal) return undefined;
  return partOf(api[owner], `${name}_static`) ?? partOf(partOf(builtins, owner), name);
}

/** Whether it is a call such as `map.values()`; `Object.values(map)` is an array. */
function isIterator(node: AnyNode): boolean {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  const { object } = node.callee;
  return (
    iterators.has(memberName(node.callee) ?? "") &&
    !(object.type === "Identifier" && object.name === "Object")
  );
}

/** Whether a condition before a use mentions the name: around it, or before a `return`. */
function isGuarded(name: string, node: AnyNode, around: AnyNode[], text: string): boolean {
  const mentions = ({ start, end }: { start: number; end: number }) =>
    new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`).test(text.slice(start, end));
  if (isQuestion(node, around)) return true;
  return around.some((outer, depth) => {
    const inner = around[depth + 1] ?? node;
    if (outer.type === "IfStatement" || outer.type === "ConditionalExpression")
      return inner !== outer.test && mentions(outer.test);
    if (outer.type === "LogicalExpression") return inner === outer.right && mentions(outer.left);
    if (outer.type !== "BlockStatement" && outer.type !== "Program") return false;
    const before = outer.body.filter(({ end }) => end <= inner.start);
    return before.some(
      (statement) =>
        statement.type === "IfStatement" && isExit(statement.consequent) && mentions(statement.test),
    );
  });
}

function isExit(statement: AnyNode): boolean {
  if (statement.type === "BlockStatement") return statement.body.some(isExit);
  return statement.type === "ReturnStatement" || statement.type === "ThrowStatement";
}

/** Whether a use only asks whether it exists: `typeof x`, `x?.y`, `x?.()`, `!x`, `x && …`, `if (x)`. */
function isQuestion(node: AnyNode, around: AnyNode[]): boolean {
  const parent = around.at(-1);
  switch (parent?.type) {
    case "UnaryExpression":
      return parent.operator === "typeof" || parent.operator === "!";
    case "MemberExpression":
      return parent.optional && parent.object === node && node.type === "MemberExpression";
    case "CallExpression":
      return parent.optional && parent.callee === node;
    case "LogicalExpression":
      return parent.left === node && node.type === "MemberExpression";
    case "IfStatement":
    case "ConditionalExpression":
      return parent.test === node && node.type === "MemberExpression";
    default:
      return false;
  }
}

/** An identifier's name, or a string's value. */
function nameOf(node: AnyNode): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "TemplateLiteral" && node.quasis.length === 1) return node.quasis[0]?.value.raw;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function memberName(node: AnyNode): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  return node.computed && node.property.type === "Identifier" ? undefined : nameOf(node.property);
}
