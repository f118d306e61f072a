import { expect, vi } from "vitest";
import { z } from "zod";
import type { Point, Tab } from "./browser.ts";

type Named = [role: Target["role"], name?: string, card?: string];

/** A limit for what hangs, not for what is slow. */
const patience = { timeout: 30_000, interval: 100 };

const seenElements: z.ZodType<Seen[]> = z.array(
  z.object({
    text: z.string(),
    value: z.string(),
    pressed: z.boolean(),
    focused: z.boolean(),
    point: z.nullable(z.object({ x: z.number(), y: z.number() })),
  }),
);

export type Visitor = ReturnType<typeof visitorOf>;

export function visitorOf(tab: Tab, origin: string) {
  const look = async (target: Target): Promise<Seen[]> =>
    seenElements.parse(JSON.parse(await tab.evaluate(locate(target))));
  const read = async (expression: string): Promise<unknown> =>
    JSON.parse(
      await tab.evaluate(`Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`),
    );
  const expectValue = (expression: string, value: unknown) =>
    expect.poll(() => read(expression), { message: expression }).toEqual(value);
  // Taking over scroll restoration is the last step of hydration.
  const untilInteractive = () => expectValue("history.scrollRestoration", "manual");

  /** Resolves with the only element, once there is one for which `isReady`. */
  function waitFor(target: Target, isReady: (seen: Seen) => boolean = () => true): Promise<Seen> {
    return vi.waitFor(async () => {
      const seen = await look(target);
      const [only] = seen;
      if (seen.length === 1 && only && isReady(only)) return only;
      throw new Error(`Waited for ${JSON.stringify(target)}, saw ${JSON.stringify(seen)}`);
    }, patience);
  }

  /** Moves the mouse to the element, scrolled into view, once it stands still and nothing covers it. */
  async function hover(...[role, name, card]: Named): Promise<void> {
    let last: Point | null = null;
    const isStill = ({ point }: Seen) => {
      const still = point !== null && point.x === last?.x && point.y === last.y;
      last = point;
      return still;
    };
    const { point } = await waitFor({ role, name, card, scroll: true }, isStill);
    if (point) await tab.moveMouse(point);
  }

  async function press(...target: Named): Promise<void> {
    await hover(...target);
    await tab.pressMouse();
  }

  return {
    tab,
    async open(address: string) {
      await tab.goto(origin + address);
      await untilInteractive();
    },
    async reload() {
      await tab.reload();
      await untilInteractive();
    },
    press,
    hover,
    async fill(text: string, ...field: Named) {
      await press(...field);
      await tab.evaluate("document.activeElement.select()");
      await tab.type(text);
    },
    see: (...[role, name, card]: Named) => waitFor({ role, name, card }),
    async seeState(state: Partial<Seen>, ...[role, name, card]: Named) {
      const target = { role, name, card };
      await expect.poll(() => look(target), { message: JSON.stringify(target) }).toMatchObject([state]);
    },
    async miss(...[role, name, card]: Named) {
      const target = { role, name, card };
      await expect.poll(() => look(target), { message: JSON.stringify(target) }).toHaveLength(0);
    },
    run: async (statements: string) => void (await tab.evaluate(`(() => { ${statements} })()`)),
    expectValue,
  };
}

interface Seen {
  text: string;
  value: string;
  pressed: boolean;
  focused: boolean;
  /** The element's middle in the window; null if that is outside, or covered. */
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

type Role = keyof typeof selectors;

interface Target {
  role: Role;
  /** The accessible name, or the text of what has none; any by default. */
  name?: string;
  card?: string;
  scroll?: boolean;
}

/** An expression that finds the visible elements and describes them in JSON, to be evaluated in a page. */
function locate({ role, ...target }: Target): string {
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
