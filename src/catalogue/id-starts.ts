/** The beginnings of ids that no other one has, in any case (docs/product.md §2.25, §9.14). */
export function createIdStarts(ids: readonly string[]) {
  const sorted = ids
    .map((id) => ({ id, key: id.toLowerCase() }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

  function indexOf(key: string): number {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((sorted[middle]?.key ?? "") < key) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  return {
    /** The shortest of at least `min` characters; the whole id if another one begins with it. */
    startOf(id: string, min: number): string {
      const key = id.toLowerCase();
      const at = indexOf(key);
      const shared = Math.max(...[at - 1, at + 1].map((other) => commonLength(key, sorted[other]?.key)));
      return id.slice(0, Math.max(min, shared + 1));
    },
    /** The only id that begins so. */
    idAt(start: string): string | undefined {
      const key = start.toLowerCase();
      const at = indexOf(key);
      const [found, next] = [sorted[at], sorted[at + 1]];
      return found?.key.startsWith(key) && !next?.key.startsWith(key) ? found.id : undefined;
    },
  };
}

function commonLength(one: string, other = ""): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
