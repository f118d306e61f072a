/**
 * Runs something now and at intervals (in ms). A failure is handed to `onFailure`, and the next run comes in time.
 * `stop` resolves when a run in progress has ended.
 */
export function runPeriodically(
  work: () => Promise<void>,
  interval: number,
  onFailure: (error: Error) => void,
): { stop: () => Promise<void> } {
  let running = Promise.resolve();
  const run = () => {
    running = work().catch(onFailure);
  };
  run();
  const timer = setInterval(run, interval);
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}
