/** A page that nobody sees paints nothing; what waits for a paint there goes on after so long, in ms. */
const UNSEEN = 250;

/** Resolves when what has changed so far is on the screen: what takes longer than a press may go unanswered comes after it. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, UNSEEN);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
