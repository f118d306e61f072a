import { Component, type ReactNode } from "react";

/** With the title, which also works in the body. */
export const keptElements = (): Iterable<Element> => document.querySelectorAll("title, body > :not(script)");

interface KeepPageState {
  kept?: Iterable<Element>;
  error?: unknown;
}

/** Keeps the server's page after an error (docs/product.md §8.2). Throws the error again at another address. */
export class KeepPage extends Component<{ children: ReactNode }, KeepPageState> {
  override state: KeepPageState = {};
  private readonly address = import.meta.env.SSR || location.href;

  static getDerivedStateFromError(error: unknown): KeepPageState {
    return { kept: keptElements(), error };
  }

  override render(): ReactNode {
    const { kept, error } = this.state;
    if (!kept) return this.props.children;
    if (location.href !== this.address) throw error;
    return <div ref={(element) => showAsWithoutScripts(element, kept)} />;
  }
}

export function showAsWithoutScripts(element: Element | null, kept: Iterable<Element>): void {
  element?.append(...kept);
  delete document.documentElement.dataset.scripts;
}
