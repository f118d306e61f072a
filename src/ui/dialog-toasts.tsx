import { useContext, useLayoutEffect } from "react";
import { ToastRegion, ToastsContext, useToastActions } from "./toast.tsx";

/** In a modal dialog, directly above its buttons: everything outside it is inert. */
export function DialogToasts() {
  const { setInDialog } = useToastActions();
  useLayoutEffect(() => {
    setInDialog(true);
    return () => setInDialog(false);
  }, [setInDialog]);
  return <ToastRegion toasts={useContext(ToastsContext)} makeRoom={growUpwards} />;
}

/** No button moves under a finger that presses again: the bottom of the dialog stays where it is without toasts. */
function growUpwards(box: HTMLElement, hasToasts: boolean): void {
  const dialog = box.closest("dialog");
  dialog?.style.removeProperty("--below");
  if (!dialog?.open || !hasToasts) return;
  box.style.position = "absolute";
  const { marginBottom } = getComputedStyle(dialog);
  box.style.position = "";
  dialog.style.setProperty("--below", marginBottom);
  dialog.querySelector(":focus")?.scrollIntoView({ block: "nearest" });
}
