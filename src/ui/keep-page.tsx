import { Component, type ReactNode } from "react";

interface KeepPageProps {
  children: ReactNode;
}

interface KeepPageState {
  /** What was on screen when a component threw. */
  kept: { title: string; nodes: Node[] } | null;
  error?: unknown;
}

/**
 * Keeps what the server sent when a component throws while it hydrates or in an effect: its links and forms
 * work without scripts (docs/product.md §8.2). What is on screen after a navigation may be another page than
 * the requested one, so the error goes on to the router's boundary then.
 */
export class KeepPage extends Component<KeepPageProps, KeepPageState> {
  override state: KeepPageState = { kept: null };
  private readonly address = import.meta.env.SSR ? "" : currentAddress();

  static getDerivedStateFromError(error: unknown): KeepPageState {
    const nodes = [...document.body.childNodes].filter((node) => !(node instanceof HTMLScriptElement));
    return { kept: { title: document.title, nodes }, error };
  }

  override componentDidCatch(): void {
    // Hides what does nothing without scripts.
    document.documentElement.removeAttribute("data-scripts");
  }

  override render(): ReactNode {
    const { kept, error } = this.state;
    if (!kept) return this.props.children;
    if (currentAddress() !== this.address) throw error;
    return (
      <div className="contents" ref={(element) => element?.append(...kept.nodes)}>
        <title>{kept.title}</title>
      </div>
    );
  }
}

function currentAddress(): string {
  return window.location.pathname + window.location.search;
}
