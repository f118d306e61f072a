/** Counts calls from a first one on, and reports their number after `ms`. Returns whether a call is the first. */
export function createBurstCounter(ms: number, report: (count: number) => void): () => boolean {
  let count = 0;
  return function countOne() {
    count += 1;
    if (count > 1) return false;
    setTimeout(() => {
      report(count);
      count = 0;
    }, ms).unref();
    return true;
  };
}
