import {
  createContext,
  type FocusEvent,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { createToastStore, readingTime, type ShownToast, type Toast, type ToastStore } from "./toast-store.ts";

interface Toasts {
  store: ToastStore;
  /** Tells whether an open dialog shows the toasts. */
  setInDialog: (inDialog: boolean) => void;
}

const ToastContext = createContext<Toasts | null>(null);

/** Gives the pages inside it toasts, which stay when the page changes. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [store] = useState(createToastStore);
  const [inDialog, setInDialog] = useState(false);
  const toasts = useMemo(() => ({ store, setInDialog }), [store]);
  return (
    <ToastContext value={toasts}>
      {children}
      <ToastRegion store={store} resting={inDialog} />
    </ToastContext>
  );
}

/** What shows a toast; always the same function. */
export function useToast(): (toast: Toast) => void {
  return useToasts().store.show;
}

/** What takes back that something failed, when it is tried again; always the same function. */
export function useTakeBackFailure(): (about: string) => void {
  return useToasts().store.takeBackFailure;
}

/** The place of the toasts in a modal dialog: while one is open, nothing outside it can be reached. */
export function DialogToasts() {
  const { store, setInDialog } = useToasts();
  useLayoutEffect(() => {
    setInDialog(true);
    return () => setInDialog(false);
  }, [setInDialog]);
  return <ToastRegion store={store} />;
}

function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  if (!toasts) throw new Error("Toasts are used outside a ToastProvider");
  return toasts;
}

/** Stays where it is while it rests, for what is announced is what comes into a region that is there already. */
function ToastRegion({ store, resting = false }: { store: ToastStore; resting?: boolean }) {
  const toasts = useSyncExternalStore(store.subscribe, store.shown, store.shown);
  return (
    <section
      className="toasts"
      aria-label={resting ? undefined : "Notifications"}
      aria-live="polite"
      aria-relevant="additions"
    >
      {!resting && toasts.map((toast) => <ToastBox key={toast.id} toast={toast} onDismiss={store.dismiss} />)}
    </section>
  );
}

/** A toast goes by itself after its reading time, but not while it is pointed at or holds the focus (WCAG 2.2.1). */
function ToastBox({ toast, onDismiss }: { toast: ShownToast; onDismiss: (id: number) => void }) {
  const [pointedAt, setPointedAt] = useState(false);
  const [focused, setFocused] = useState(false);
  const cameFrom = useRef<HTMLElement>(null);

  useEffect(() => {
    if (pointedAt || focused) return;
    const timer = setTimeout(() => onDismiss(toast.id), readingTime(toast));
    return () => clearTimeout(timer);
  }, [toast, onDismiss, pointedAt, focused]);

  function enter({ relatedTarget }: FocusEvent): void {
    cameFrom.current = relatedTarget instanceof HTMLElement ? relatedTarget : null;
    setFocused(true);
  }

  function dismiss(): void {
    onDismiss(toast.id);
    cameFrom.current?.focus();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: being pointed at only keeps it from going
    <div
      className="toast"
      role={toast.destructive ? "alert" : "status"}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={enter}
      onBlur={() => setFocused(false)}
    >
      <p className="toast-title">{toast.title}</p>
      <p>{toast.description}</p>
      <button type="button" onClick={dismiss} aria-label="Dismiss notification">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 3l10 10M13 3L3 13" />
        </svg>
      </button>
    </div>
  );
}
