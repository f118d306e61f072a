import {
  createContext,
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Link } from "react-router";
import { CrossIcon } from "./cross-icon.tsx";
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
  if (!toasts) throw new Error("No ToastProvider");
  return toasts;
}

const nothing: readonly ShownToast[] = [];

/**
 * The toasts, each announced by one live region: a failure is an alert, the others are added to a region that
 * stays mounted, since only additions to an existing one are announced.
 */
function ToastRegion({ store, inactive = false }: { store: ToastStore; inactive?: boolean }) {
  const region = useRef<HTMLElement>(null);
  const shown = useSyncExternalStore(store.subscribe, store.shown, store.shown);
  const toasts = inactive ? nothing : shown;
  useRoom(region, toasts);
  const boxes = (destructive: boolean) =>
    toasts
      .filter((toast) => (toast.destructive ?? false) === destructive)
      .map((toast) => (
        <ToastBox key={toast.id} toast={toast} newest={toast === toasts.at(-1)} onDismiss={store.dismiss} />
      ));
  return (
    <section ref={region} className="toasts" aria-label={inactive ? undefined : "Notifications"}>
      <div aria-live="polite" aria-relevant="additions">
        {boxes(false)}
      </div>
      {boxes(true)}
    </section>
  );
}

/**
 * Keeps room for the toasts at the end of the page, and moves the focused element out from under them
 * (WCAG 2.4.11).
 */
function useRoom(region: RefObject<HTMLElement | null>, toasts: readonly ShownToast[]): void {
  useLayoutEffect(() => {
    const box = region.current;
    box?.parentElement?.style.setProperty("--toasts", `${toasts.length && box.offsetHeight}px`);
    const focused = document.querySelector(":focus");
    if (!box || !focused || box.contains(focused)) return;
    const [over, under] = [box.getBoundingClientRect(), focused.getBoundingClientRect()];
    const covers = under.bottom > over.top && under.top < over.bottom && under.right > over.left;
    if (covers) focused.scrollIntoView({ block: "nearest" });
  }, [region, toasts]);
}

interface ToastBoxProps {
  toast: ShownToast;
  /** Whether Escape dismisses it. */
  newest: boolean;
  onDismiss: (id: number) => void;
}

/** A toast. It disappears after its reading time, but not while hovered or focused (WCAG 2.2.1). */
function ToastBox({ toast, newest, onDismiss }: ToastBoxProps) {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const previousFocus = useRef<HTMLElement>(null);

  useEffect(() => {
    if (hovered || focused) return;
    const timer = setTimeout(() => onDismiss(toast.id), readingTime(toast));
    return () => clearTimeout(timer);
  }, [toast, onDismiss, hovered, focused]);

  useEffect(() => {
    if (!newest) return;
    function onKeyDown({ key }: KeyboardEvent): void {
      if (key === "Escape") dismiss();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });

  function enter({ currentTarget, relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget))
      previousFocus.current = relatedTarget;
    setFocused(true);
  }

  function dismiss(): void {
    onDismiss(toast.id);
    if (focused) previousFocus.current?.focus();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only stops the timer
    <div
      className="toast"
      role={toast.destructive ? "alert" : undefined}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={enter}
      onBlur={() => setFocused(false)}
    >
      <p className="toast-title">{toast.title}</p>
      <p dir="auto">{toast.description}</p>
      {toast.action &&
        ("href" in toast.action ? (
          <Link
            className="toast-action"
            to={toast.action.href}
            // An e-mail address stays: no program may be there to write to it.
            onClick={toast.action.href.startsWith("/") ? () => onDismiss(toast.id) : undefined}
          >
            {toast.action.label}
          </Link>
        ) : (
          <button type="button" className="toast-action" onClick={toast.action.run}>
            {toast.action.label}
          </button>
        ))}
      <button type="button" className="toast-dismiss" onClick={dismiss} aria-label="Dismiss notification">
        <CrossIcon />
      </button>
    </div>
  );
}
