/** A short message about something that just happened. */
export interface Toast {
  title: string;
  description: string;
  /** Something failed: it is announced at once and looks it. */
  destructive?: boolean;
}

export interface ShownToast extends Toast {
  id: number;
}

/** The toasts on screen, oldest first, in the shape that `useSyncExternalStore` asks for. */
export interface ToastStore {
  /** Shows a toast; one that already says the same makes way for it, so that it is announced again. */
  show(toast: Toast): void;
  dismiss(id: number): void;
  shown(): readonly ShownToast[];
  subscribe(listener: () => void): () => void;
}

/** More would cover the page; the oldest go first. */
const MOST_SHOWN = 3;

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
      const others = toasts.filter((other) => other.title !== toast.title || other.description !== toast.description);
      set([...others, { ...toast, id: ++lastId }].slice(-MOST_SHOWN));
    },
    dismiss: (id) => set(toasts.filter((toast) => toast.id !== id)),
    shown: () => toasts,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** How long a toast stays, in ms: long enough to notice it and to read it slowly. */
export function readingTime({ title, description }: Toast): number {
  return 6_000 + 60 * (title.length + description.length);
}
