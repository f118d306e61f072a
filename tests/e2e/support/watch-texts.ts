import type { Locator } from "@playwright/test";

/** Notes every text that an element has from now on. Resolves with what gives those noted so far, repetitions left out. */
export async function watchTexts(element: Locator): Promise<() => Promise<string[]>> {
  const texts = await element.evaluateHandle((node) => {
    const seen = [node.textContent ?? ""];
    const note = () => {
      const text = node.textContent ?? "";
      if (text !== seen.at(-1)) seen.push(text);
    };
    new MutationObserver(note).observe(node, { characterData: true, childList: true, subtree: true });
    return seen;
  });
  return () => texts.jsonValue();
}
