import { expect, vi } from "vitest";
import { z } from "zod";
import type { Point, Tab } from "./browser.ts";
import { locate, type Seen, type Target } from "./locate.ts";

/** What an element is called: its role, name, and the card that it is in. */
type Named = [role: Target["role"], name?: string, card?: string];

/** A limit for what hangs, not for what is slow. */
const patience = { timeout: 30_000, interval: 100 };

/** Somebody who uses the site in a tab. They wait for what is not there yet. */
export interface Visitor {
  tab: Tab;
  /** Opens an address of the site. Resolves when the page is interactive. */
  open(address: string): Promise<void>;
  reload(): Promise<void>;
  press(...target: Named): Promise<void>;
  hover(...target: Named): Promise<void>;
  /** Replaces the text of a field by typing. */
  fill(text: string, ...field: Named): Promise<void>;
  /** Resolves with the only such element, once there is one. */
  see(...target: Named): Promise<Seen>;
  /** Resolves when the only such element is in this state. */
  seeState(state: Partial<Seen>, ...target: Named): Promise<void>;
  /** Resolves when there is no such element. */
  miss(...target: Named): Promise<void>;
  /** Runs statements in the page. */
  run(statements: string): Promise<void>;
  /** Resolves when this is the value of the expression in the page, also across navigations. */
  expectValue(expression: string, value: unknown): Promise<void>;
}

const seenElements: z.ZodType<Seen[]> = z.array(
  z.object({
    text: z.string(),
    value: z.string(),
    pressed: z.boolean(),
    focused: z.boolean(),
    point: z.nullable(z.object({ x: z.number(), y: z.number() })),
  }),
);

/** A visitor of the site at this origin. */
export function visitorOf(tab: Tab, origin: string): Visitor {
  const look = async (target: Target): Promise<Seen[]> =>
    seenElements.parse(JSON.parse(await tab.evaluate(locate(target))));
  const read = async (expression: string): Promise<unknown> =>
    JSON.parse(await tab.evaluate(`JSON.stringify((${expression}) ?? null)`));
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
    async open(address) {
      await tab.goto(origin + address);
      await untilInteractive();
    },
    async reload() {
      await tab.reload();
      await untilInteractive();
    },
    press,
    hover,
    async fill(text, ...field) {
      await press(...field);
      await tab.evaluate("document.activeElement.select()");
      await tab.type(text);
    },
    see: (...[role, name, card]) => waitFor({ role, name, card }),
    async seeState(state, ...[role, name, card]) {
      const target = { role, name, card };
      await expect.poll(() => look(target), { message: JSON.stringify(target) }).toMatchObject([state]);
    },
    async miss(...[role, name, card]) {
      const target = { role, name, card };
      await expect.poll(() => look(target), { message: JSON.stringify(target) }).toHaveLength(0);
    },
    run: async (statements) => void (await tab.evaluate(`(() => { ${statements} })()`)),
    expectValue,
  };
}
