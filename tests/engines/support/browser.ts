export interface Browser extends AsyncDisposable {
  /** Opens a profile without any storage, or the one of the folder. One can be open at a time. */
  openProfile(): Promise<Profile>;
}

export interface Profile extends AsyncDisposable {
  /** Opens a tab. WebKitGTK takes mouse and keyboard in the first one only. */
  openTab(): Promise<Tab>;
}

export interface Tab {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Goes through the history: -1 is Back. */
  traverse(delta: -1 | 1): Promise<void>;
  evaluate(expression: string): Promise<string>;
  moveMouse(point: Point): Promise<void>;
  pressMouse(): Promise<void>;
  type(text: string): Promise<void>;
}

export type Point = { x: number; y: number };
export type Size = { width: number; height: number };
/** @param folder of a profile that the next start with it finds again */
export type Launch = (size: Size, folder?: string) => Promise<Browser>;

type InputSource = { type: "key" | "pointer"; id: string; actions: object[] };

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
