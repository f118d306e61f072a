import {
  createContext,
  type FocusEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { createToastStore, readingTime, type ShownToast, type Toast, type ToastStore } from "./toast-store.ts";

const ToastContext = createContext<ToastStore | null>(null);

/** Gives the pages inside it toasts, which stay when the page changes. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [store] = useState(createToastStore);
  return (
    <ToastContext value={store}>
      {children}
      <ToastRegion store={store} />
    </ToastContext>
  );
}

/** What shows a toast; always the same function. */
export function useToast(): (toast: Toast) => void {
  const store = useContext(ToastContext);
  if (!store) throw new Error("useToast is called outside a ToastProvider");
  return store.show;
}

function ToastRegion({ store }: { store: ToastStore }) {
  const toasts = useSyncExternalStore(store.subscribe, store.shown, store.shown);
  return (
    <section className="toasts" aria-label="Notifications" aria-live="polite" aria-relevant="additions">
      {toasts.map((toast) => (
        <ToastBox key={toast.id} toast={toast} onDismiss={store.dismiss} />
      ))}
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
