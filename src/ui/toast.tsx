import {
  createContext,
  type FocusEvent,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { CrossButton } from "./cross-button.tsx";
import { Link } from "./link.tsx";
import {
  readingTime,
  type ShownToast,
  type Toast,
  withoutFailure,
  withoutSuccesses,
  withToast,
} from "./toasts.ts";

interface ToastActions {
  show: (toast: Toast) => void;
  dismiss: (id: number) => void;
  dismissFailure: (topic: string) => void;
  setInDialog: (inDialog: boolean) => void;
}

type Toasts = readonly ShownToast[];

const none: Toasts = [];

// Two contexts: components that show toasts do not render again with them.
const ToastActionsContext = createContext<ToastActions | null>(null);
export const ToastsContext = createContext(none);

/** Toasts stay across navigations. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState(none);
  const [inDialog, setInDialog] = useState(false);
  const lastId = useRef(0);
  const [actions] = useState<ToastActions>({
    show(toast) {
      const id = ++lastId.current;
      setToasts((shown) => withToast(shown, { ...toast, id }));
    },
    dismiss: (id) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    dismissFailure: (topic) => setToasts((shown) => withoutFailure(shown, topic)),
    setInDialog(entered) {
      setInDialog(entered);
      if (entered) setToasts(withoutSuccesses);
    },
  });
  return (
    <ToastActionsContext value={actions}>
      <ToastsContext value={toasts}>
        {children}
        <ToastRegion toasts={inDialog ? none : toasts} inactive={inDialog} makeRoom={makeRoomOnPage} />
      </ToastsContext>
    </ToastActionsContext>
  );
}

export function useToast(): (toast: Toast) => void {
  return useToastActions().show;
}

export function useDismissFailure(): (topic: string) => void {
  return useToastActions().dismissFailure;
}

export function useToastActions(): ToastActions {
  const actions = useContext(ToastActionsContext);
  if (!actions) throw new Error("No ToastProvider");
  return actions;
}

interface ToastRegionProps {
  toasts: Toasts;
  inactive?: boolean;
  /** Must be a stable function. */
  makeRoom: (region: HTMLElement, hasToasts: boolean) => void;
}

/** A failure is an alert. The others are added to a region that stays mounted, which announces additions. */
export function ToastRegion({ toasts, inactive = false, makeRoom }: ToastRegionProps) {
  const region = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const box = region.current;
    if (!box) return;
    const place = () => makeRoom(box, toasts.length > 0);
    place();
    window.addEventListener("resize", place);
    return () => window.removeEventListener("resize", place);
  }, [toasts, makeRoom]);
  const boxes = (destructive: boolean) =>
    toasts
      .filter((toast) => (toast.destructive ?? false) === destructive)
      .map((toast) => <ToastBox key={toast.id} toast={toast} newest={toast === toasts.at(-1)} />);
  return (
    <section ref={region} className="toasts" aria-label={inactive ? undefined : "Notifications"}>
      <div aria-live="polite" aria-relevant="additions">
        {boxes(false)}
      </div>
      {boxes(true)}
    </section>
  );
}

/** Scrolls the focused element out from under the toasts (WCAG 2.4.11). */
function makeRoomOnPage(box: HTMLElement, hasToasts: boolean): void {
  box.parentElement?.style.setProperty("--toasts", `${hasToasts ? box.offsetHeight : 0}px`);
  const focused = document.querySelector(":focus");
  if (!focused || box.contains(focused)) return;
  const [over, under] = [box.getBoundingClientRect(), focused.getBoundingClientRect()];
  const covers = under.bottom > over.top && under.top < over.bottom && under.right > over.left;
  if (covers) focused.scrollIntoView({ block: "nearest" });
}

/** Stays while it is hovered or focused (WCAG 2.2.1). */
function ToastBox({ toast, newest }: { toast: ShownToast; newest: boolean }) {
  const { dismiss: remove } = useToastActions();
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const previousFocus = useRef<HTMLElement>(null);

  useEffect(() => {
    if (hovered || focused || toast.stays) return;
    const timer = setTimeout(() => remove(toast.id), readingTime(toast));
    return () => clearTimeout(timer);
  }, [toast, remove, hovered, focused]);

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
    remove(toast.id);
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
          <ToastLink {...toast.action} onFollow={() => remove(toast.id)} />
        ) : (
          <button type="button" className="toast-action" onClick={toast.action.run}>
            {toast.action.label}
          </button>
        ))}
      <CrossButton label="Dismiss notification" onClick={dismiss} />
    </div>
  );
}

function ToastLink({ label, href, onFollow }: { label: string; href: string; onFollow: () => void }) {
  if (href.startsWith("/"))
    return (
      <Link className="toast-action" to={href} onClick={onFollow}>
        {label}
      </Link>
    );
  // An e-mail address. A click on it keeps the toast: there may be no program to write with.
  return (
    <a className="toast-action" href={href}>
      {label}
    </a>
  );
}
