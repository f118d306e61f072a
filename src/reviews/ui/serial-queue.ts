/** Runs tasks about the same thing one after the other, in the order they came; what becomes of one does not stop the next. */
export type Turns = <T>(about: string, task: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return function inTurn(about, task) {
    const running = (last.get(about) ?? Promise.resolve()).then(task, task);
    last.set(about, running);
    const forget = () => last.get(about) === running && last.delete(about);
    running.then(forget, forget);
    return running;
  };
}
