import { Component, type ReactNode } from "react";

interface KeepPageState {
  /** Includes the title, which also works in the body. */
  kept?: Iterable<Element>;
}

const firstAddress = import.meta.env.SSR ? "" : location.href;

/** Whether the page is still the one that the server sent. */
export function isFirstAddress(): boolean {
  return location.href === firstAddress;
}

/** Keeps the server's page after an error (docs/product.md §8.2). */
export class KeepPage extends Component<{ children: ReactNode }, KeepPageState> {
  override state: KeepPageState = {};

  static getDerivedStateFromError(): KeepPageState {
    return { kept: document.querySelectorAll("title, body > :not(script)") };
  }

  override render(): ReactNode {
    const { kept } = this.state;
    return kept ? <div ref={(element) => showAsWithoutScripts(element, kept)} /> : this.props.children;
  }
}

export function showAsWithoutScripts(element: Element | null, kept: Iterable<Element>): void {
  element?.append(...kept);
  delete document.documentElement.dataset.scripts;
}
