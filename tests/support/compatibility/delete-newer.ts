import { api, isNewer, javascript, partsOf } from "./newer-features.ts";

/** The paths of all that an oldest browser lacks, such as `["Promise", "withResolvers"]`. */
export function newerPaths(): string[][] {
  return [...partsOf(javascript.builtins), ...partsOf(api)].flatMap(([owner, type]) => {
    const members = partsOf(type)
      .filter(([, member]) => isNewer(member))
      .flatMap(([name]) => pathsOf(owner, name));
    return isNewer(type) ? [...members, [owner]] : members;
  });
}

/** The data says of the Web's interfaces which members are static, but not of JavaScript's. */
function pathsOf(owner: string, name: string): string[][] {
  if (owner === "Window") return [[name]];
  const [member = "", isStatic] = name.split("_static");
  if (isStatic !== undefined) return [[owner, member]];
  const onPrototype = [owner, "prototype", name];
  return Object.hasOwn(api, owner) ? [onPrototype] : [onPrototype, [owner, name]];
}

/** Runs in the page, before its scripts: leaves it what an old browser has. Returns how much it deleted. */
export function deletePaths(paths: string[][]): number {
  return paths.filter((path) => {
    const name = path[path.length - 1] ?? "";
    const owner = path
      .slice(0, -1)
      .reduce((object: object | undefined, key) => object && Reflect.get(object, key), window);
    return owner && Object.hasOwn(owner, name) && Reflect.deleteProperty(owner, name);
  }).length;
}
