export interface Browser extends AsyncDisposable {
  /** Opens a profile without any storage. One can be open at a time. */
  openProfile(): Promise<Profile>;
}

export interface Profile extends AsyncDisposable {
  /** Opens a tab. WebKitGTK takes mouse and keyboard in the first one only. */
  openTab(): Promise<Tab>;
}

/** A tab of a browser, as a person uses it. */
export interface Tab {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Goes through the history: -1 is Back. */
  traverse(delta: -1 | 1): Promise<void>;
  evaluate(expression: string): Promise<string>;
  /** Moves the mouse to a point of the window, in CSS pixels. */
  moveMouse(point: Point): Promise<void>;
  pressMouse(): Promise<void>;
  type(text: string): Promise<void>;
}

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export type Launch = (size: Size) => Promise<Browser>;
