const OPENING = "<script";
const CLOSING = "</script";

/** A script tag whose `>` has not come yet. */
interface PendingTag {
  start: number;
  isClosing: boolean;
}

/**
 * A text without script elements and stray script tags. One scan in linear time: each character is appended once
 * and removed at most once. Removing a tag may join the halves of another one, so tags are searched in what is left
 * rather than in the input. Stripping a stripped text changes nothing.
 * @param onStep called for every character appended or removed, for tests that count the work
 */
export function stripScripts(text: string, onStep = () => {}): string {
  if (!text.includes("<")) return text;
  const kept: string[] = [];
  /** For each kept character, how much of `OPENING` or `CLOSING` ends with it. */
  const matched: string[] = [];
  let tag: PendingTag | null = null;
  /** Where the first script element starts that was opened and not closed. */
  let elementStart: number | null = null;

  function truncate(length: number): void {
    while (kept.length > length) {
      kept.pop();
      matched.pop();
      onStep();
    }
  }

  for (const unit of text.split("")) {
    onStep();
    const before = matched.at(-1) ?? "";
    if (isTagName(before) && !/\w/.test(unit)) {
      tag ??= { start: kept.length - before.length, isClosing: before === CLOSING };
    }
    if (unit !== ">" || tag === null) {
      kept.push(unit);
      matched.push(extendMatch(before, unit.toLowerCase()));
      continue;
    }
    if (!tag.isClosing) elementStart ??= tag.start;
    truncate(Math.min(tag.start, elementStart ?? tag.start));
    elementStart = tag.isClosing ? null : kept.length;
    tag = null;
  }
  return kept.join("");
}

function isTagName(matched: string): boolean {
  return matched === OPENING || matched === CLOSING;
}

function extendMatch(before: string, unit: string): string {
  const extended = before + unit;
  if (OPENING.startsWith(extended) || CLOSING.startsWith(extended)) return extended;
  return unit === "<" ? unit : "";
}
