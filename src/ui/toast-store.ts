/** A short message about something that just happened. */
export interface Toast {
  title: string;
  description: string;
  /** Something failed: it is announced at once and looks it. */
  destructive?: boolean;
  /** What it is the latest news of: news of the same that is older makes way for it. */
  about?: string;
}

export interface ShownToast extends Toast {
  id: number;
}

/** The toasts on screen, oldest first, in the shape that `useSyncExternalStore` asks for. */
export interface ToastStore {
  /** Shows a toast; one that already says the same makes way for it, so that it is announced again. */
  show(toast: Toast): void;
  dismiss(id: number): void;
  /** Takes back that something failed: it is being tried again. */
  takeBackFailure(about: string): void;
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
      const others = toasts.filter((other) => !saysTheSame(other, toast) && !isOlderNews(other, toast));
      set([...others, { ...toast, id: ++lastId }].slice(-MOST_SHOWN));
    },
    dismiss: (id) => set(toasts.filter((toast) => toast.id !== id)),
    takeBackFailure: (about) => set(toasts.filter((toast) => !(toast.destructive && toast.about === about))),
    shown: () => toasts,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function saysTheSame(one: Toast, other: Toast): boolean {
  return one.title === other.title && one.description === other.description;
}

function isOlderNews(old: Toast, { about }: Toast): boolean {
  return about !== undefined && old.about === about;
}

/** How long a toast stays, in ms: long enough to notice it and to read it slowly. */
export function readingTime({ title, description }: Toast): number {
  return 6_000 + 60 * (title.length + description.length);
}
