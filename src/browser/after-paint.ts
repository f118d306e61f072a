/** In ms: a hidden page never paints. */
const MAX_WAIT = 250;

/** Call it before a long task, so that feedback to a click is visible first. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, MAX_WAIT);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
