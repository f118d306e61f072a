import type { Point } from "./browser.ts";

/** What a visitor sees of an element. */
export interface Seen {
  text: string;
  /** The text in a field. */
  value: string;
  pressed: boolean;
  focused: boolean;
  /** Its middle in the window; null if that is outside, or something covers it. */
  point: Point | null;
}

const selectors = {
  alert: "[role=alert]",
  article: "article",
  button: "button",
  dialog: "dialog",
  heading: "h1, h2, h3",
  link: "a[href]",
  paragraph: "p",
  radio: "[type=radio]",
  region: "section[aria-label]",
  searchbox: "[type=search]",
  status: "main [role=status]",
  textbox: "textarea, [type=email]",
};

/** The roles that `locate` knows. */
export type Role = keyof typeof selectors;

export interface Target {
  role: Role;
  /** The accessible name, or the text of what has none; any by default. */
  name?: string;
  /** The title of the card that it is in. */
  card?: string;
  /** Whether to scroll to it first. */
  scroll?: boolean;
}

/** An expression that finds the visible elements and describes them in JSON, to be evaluated in a page. */
export function locate({ role, ...target }: Target): string {
  return `(${locateInPage})(${JSON.stringify({ selector: selectors[role], ...target })})`;
}

interface InPage extends Omit<Target, "role"> {
  selector: string;
}

/** Runs in the page: it knows nothing from outside itself. */
function locateInPage({ selector, name, card, scroll }: InPage): string {
  /** As assistive technology reads it. */
  const textOf = (element: Element) => {
    const copy = element.cloneNode(true) as Element;
    for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
    return copy.textContent?.replace(/\s+/g, " ").trim() ?? "";
  };
  const labelOf = (element: Element) => (element as HTMLInputElement).labels?.[0];
  const nameOf = (element: Element) =>
    element.getAttribute("aria-label") ??
    textOf(
      document.getElementById(element.getAttribute("aria-labelledby") ?? "") ?? labelOf(element) ?? element,
    );
  const find = (root: ParentNode, css: string, wanted: string | undefined) =>
    [...root.querySelectorAll(css)].filter(
      (element) => element.checkVisibility() && (wanted === undefined || nameOf(element) === wanted),
    );
  const pointOf = (element: Element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const point = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const hit = document.elementFromPoint(point.x, point.y);
    return element.contains(hit) || labelOf(element)?.contains(hit) ? point : null;
  };
  const roots = card === undefined ? [document] : find(document, "article", card);
  const found = roots.flatMap((root) => find(root, selector, name));
  if (scroll) found[0]?.scrollIntoView({ block: "center", behavior: "instant" });
  const seen = found.map((element) => ({
    text: textOf(element),
    value: (element as HTMLInputElement).value ?? "",
    pressed: element.getAttribute("aria-pressed") === "true",
    focused: element === document.activeElement,
    point: pointOf(element),
  }));
  return JSON.stringify(seen);
}
