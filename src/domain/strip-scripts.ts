const OPENING = "<script";
const CLOSING = "</script";

interface PendingTag {
  start: number;
  isClosing: boolean;
}

/**
 * Removes script elements and stray script tags in linear time. Removing a tag may join the halves of another
 * one, so tags are matched in the output. Idempotent (docs/product.md §2.5).
 * @param onStep called for every character appended or removed, for tests
 */
export function stripScripts(text: string, onStep = () => {}): string {
  if (!text.includes("<")) return text;
  const output: string[] = [];
  /** For each character of the output, the prefix of `OPENING` or `CLOSING` that ends with it. */
  const matched: string[] = [];
  let tag: PendingTag | null = null;
  let elementStart: number | null = null;

  function truncate(length: number): void {
    while (output.length > length) {
      output.pop();
      matched.pop();
      onStep();
    }
  }

  for (const unit of text.split("")) {
    onStep();
    const before = matched.at(-1) ?? "";
    if (isTagName(before) && !/\w/.test(unit)) {
      tag ??= { start: output.length - before.length, isClosing: before === CLOSING };
    }
    if (unit !== ">" || tag === null) {
      output.push(unit);
      matched.push(extendMatch(before, unit.toLowerCase()));
      continue;
    }
    if (!tag.isClosing) elementStart ??= tag.start;
    truncate(Math.min(tag.start, elementStart ?? tag.start));
    elementStart = tag.isClosing ? null : output.length;
    tag = null;
  }
  return output.join("");
}

function isTagName(matched: string): boolean {
  return matched === OPENING || matched === CLOSING;
}

function extendMatch(before: string, unit: string): string {
  const extended = before + unit;
  if (OPENING.startsWith(extended) || CLOSING.startsWith(extended)) return extended;
  return unit === "<" ? unit : "";
}
