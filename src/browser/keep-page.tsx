import { Component, type ReactNode } from "react";

interface KeepPageProps {
  children: ReactNode;
}

interface KeepPageState {
  /** What was on screen when a component threw, and the title, which counts in the body as well. */
  kept?: Iterable<Element>;
  error?: unknown;
}

/**
 * When a component throws while it hydrates or in an effect, keeps what the server sent: its links and forms
 * work without scripts (docs/product.md §8.2). After a navigation another page may be on screen than the
 * requested one, so the error goes on to the router's boundary.
 */
export class KeepPage extends Component<KeepPageProps, KeepPageState> {
  override state: KeepPageState = {};
  private readonly address = import.meta.env.SSR || location.href;

  static getDerivedStateFromError(error: unknown): KeepPageState {
    return { kept: document.querySelectorAll("title, body > :not(script)"), error };
  }

  override render(): ReactNode {
    const { kept, error } = this.state;
    if (!kept) return this.props.children;
    if (location.href !== this.address) throw error;
    return <div ref={(element) => showAsWithoutScripts(element, kept)} />;
  }
}

function showAsWithoutScripts(element: Element | null, kept: Iterable<Element>): void {
  element?.append(...kept);
  delete document.documentElement.dataset.scripts;
}
