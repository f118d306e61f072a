import type { Locator } from "@playwright/test";

/** Resolves with a function that returns the texts of an element from now on, without repetitions. */
export async function watchTexts(element: Locator): Promise<() => Promise<string[]>> {
  const texts = await element.evaluateHandle((node) => {
    const recorded = [node.textContent ?? ""];
    const record = () => {
      const text = node.textContent ?? "";
      if (text !== recorded.at(-1)) recorded.push(text);
    };
    new MutationObserver(record).observe(node, { characterData: true, childList: true, subtree: true });
    return recorded;
  });
  return () => texts.jsonValue();
}
