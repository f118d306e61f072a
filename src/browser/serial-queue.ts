/** Runs the tasks of one key in sequence, in the order added. A failed task does not stop the next. */
export type SerialQueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates a queue. Tasks of different keys run concurrently. */
export function createSerialQueue(): SerialQueue {
  const last = new Map<string, Promise<unknown>>();
  return function enqueue(key, task) {
    const running = (last.get(key) ?? Promise.resolve()).then(task, task);
    last.set(key, running);
    const remove = () => last.get(key) === running && last.delete(key);
    running.then(remove, remove);
    return running;
  };
}
