/** The longest wait, in ms: a hidden page never paints. */
const MAX_WAIT = 250;

/** So that feedback to a press is visible before a long task begins. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, MAX_WAIT);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
