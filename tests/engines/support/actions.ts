import type { Tab } from "./browser.ts";

export type InputSource = { type: "key" | "pointer"; id: string; actions: object[] };

export function inputBy(
  perform: (actions: InputSource[]) => Promise<unknown>,
): Pick<Tab, "moveMouse" | "pressMouse" | "type"> {
  const mouse = async (...actions: object[]) =>
    void (await perform([{ type: "pointer", id: "mouse", actions }]));
  return {
    moveMouse: ({ x, y }) => mouse({ type: "pointerMove", x: Math.round(x), y: Math.round(y) }),
    pressMouse: () => mouse({ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }),
    async type(text) {
      const actions = [...text].flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await perform([{ type: "key", id: "keyboard", actions }]);
    },
  };
}
