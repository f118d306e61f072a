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
import {
  createToastStore,
  readingTime,
  type ShownToast,
  type Toast,
  type ToastStore,
} from "./toast-store.ts";

interface Toasts {
  store: ToastStore;
  /** Sets whether an open dialog shows the toasts. */
  setInDialog: (inDialog: boolean) => void;
}

const ToastContext = createContext<Toasts | null>(null);

/** Provides toasts to the pages inside it. They stay across navigations. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [store] = useState(createToastStore);
  const [inDialog, setInDialog] = useState(false);
  const toasts = useMemo(() => ({ store, setInDialog }), [store]);
  return (
    <ToastContext value={toasts}>
      {children}
      <ToastRegion store={store} inactive={inDialog} />
    </ToastContext>
  );
}

/** Returns the function that shows a toast. It is stable. */
export function useToast(): (toast: Toast) => void {
  return useToasts().store.show;
}

/** Returns the function that dismisses the failure of a topic, for a retry. It is stable. */
export function useDismissFailure(): (topic: string) => void {
  return useToasts().store.dismissFailure;
}

/** Shows the toasts inside a modal dialog: everything outside it is inert. */
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
  if (!toasts) throw new Error("Toasts need a ToastProvider around them");
  return toasts;
}

/** A live region. It stays mounted while inactive: only additions to an existing region are announced. */
function ToastRegion({ store, inactive = false }: { store: ToastStore; inactive?: boolean }) {
  const toasts = useSyncExternalStore(store.subscribe, store.shown, store.shown);
  return (
    <section
      className="toasts"
      aria-label={inactive ? undefined : "Notifications"}
      aria-live="polite"
      aria-relevant="additions"
    >
      {!inactive &&
        toasts.map((toast) => <ToastBox key={toast.id} toast={toast} onDismiss={store.dismiss} />)}
    </section>
  );
}

/** A toast. It disappears after its reading time, but not while hovered or focused (WCAG 2.2.1). */
function ToastBox({ toast, onDismiss }: { toast: ShownToast; onDismiss: (id: number) => void }) {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const previousFocus = useRef<HTMLElement>(null);

  useEffect(() => {
    if (hovered || focused) return;
    const timer = setTimeout(() => onDismiss(toast.id), readingTime(toast));
    return () => clearTimeout(timer);
  }, [toast, onDismiss, hovered, focused]);

  function enter({ relatedTarget }: FocusEvent): void {
    previousFocus.current = relatedTarget instanceof HTMLElement ? relatedTarget : null;
    setFocused(true);
  }

  function dismiss(): void {
    onDismiss(toast.id);
    previousFocus.current?.focus();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only stops the timer
    <div
      className="toast"
      role={toast.destructive ? "alert" : "status"}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={enter}
      onBlur={() => setFocused(false)}
    >
      <p className="toast-title">{toast.title}</p>
      <p>{toast.description}</p>
      {toast.action && (
        <button type="button" className="toast-action" onClick={toast.action.run}>
          {toast.action.label}
        </button>
      )}
      <button type="button" className="toast-dismiss" onClick={dismiss} aria-label="Dismiss notification">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 3l10 10M13 3L3 13" />
        </svg>
      </button>
    </div>
  );
}
