/** A short message about the outcome of an action (docs/product.md §5.17). */
export interface Toast {
  title: string;
  description: string;
  /** Whether it reports a failure: it is announced at once and styled as an error. */
  destructive?: boolean;
  /** A toast replaces earlier ones with the same topic. */
  topic?: string;
  /** A button in the toast, or a link to a page of the site or to an e-mail address. */
  action?: { label: string; run: () => void } | { label: string; href: string };
}

export interface ShownToast extends Toast {
  id: number;
}

/** The toasts on screen, oldest first. `subscribe` and `shown` fit `useSyncExternalStore`. */
export interface ToastStore {
  /** Shows a toast. It replaces one with the same text, so that it is announced again. */
  show(toast: Toast): void;
  dismiss(id: number): void;
  /** Removes the failure of a topic, when the action is retried. */
  dismissFailure(topic: string): void;
  shown(): readonly ShownToast[];
  subscribe(listener: () => void): () => void;
}

/** The toast limit: more would cover the page. The oldest are removed first. */
const MAX_SHOWN = 3;

/** Creates a store without toasts. */
export function createToastStore(): ToastStore {
  const listeners = new Set<() => void>();
  let toasts: readonly ShownToast[] = [];
  let lastId = 0;

  function set(next: readonly ShownToast[]): void {
    toasts = next;
    for (const listener of listeners) listener();
  }

  return {
    show(toast) {
      const others = toasts.filter((other) => !hasSameText(other, toast) && !hasSameTopic(other, toast));
      set([...others, { ...toast, id: ++lastId }].slice(-MAX_SHOWN));
    },
    dismiss: (id) => set(toasts.filter((toast) => toast.id !== id)),
    dismissFailure: (topic) => set(toasts.filter((toast) => !(toast.destructive && toast.topic === topic))),
    shown: () => toasts,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function hasSameText(one: Toast, other: Toast): boolean {
  return one.title === other.title && one.description === other.description;
}

function hasSameTopic(old: Toast, { topic }: Toast): boolean {
  return topic !== undefined && old.topic === topic;
}

/** How long a toast stays, in ms: time to notice it, and to read it slowly. */
export function readingTime({ title, description }: Toast): number {
  return 6_000 + 60 * (title.length + description.length);
}
