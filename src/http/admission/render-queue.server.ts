import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import { busyPage } from "./busy-page.server.ts";

export interface RenderQueue {
  /** Renders when it is this page's turn. */
  run<T>(render: () => Promise<T>): Promise<T>;
  /** @throws BusyPageError 503 when the next page would have to wait too long */
  admit(): void;
}

interface RenderQueueOptions {
  onRefused: () => void;
  /** In ms: less than whoever is refused waits. */
  maxWait?: number;
  /** So many may wait longer: a slow machine refuses nobody. */
  spare?: number;
  now?: () => number;
}

/** After this time, in ms, a rendering no longer holds up the others. */
const TIMEOUT = 5_000;

/** Turns of the event loop between two renderings: Node accepts one connection in each. */
const TURNS = 16;

/** Of the last rendering in the average time: one that was held up tells little. */
const WEIGHT = 0.1;

/** Renders pages one after the other. Side by side they would only delay each other and everything else in the process. */
export function createRenderQueue({
  onRefused,
  maxWait = 300,
  spare = 8,
  now = () => performance.now(),
}: RenderQueueOptions): RenderQueue {
  /** Each rendering is followed by a pause, for which its page does not wait. */
  const queue = new PQueue({ concurrency: 1, timeout: TIMEOUT });
  let began = 0;
  let average = 0;

  async function pause(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    average += WEIGHT * (now() - began - average);
  }

  return {
    run(render) {
      const rendered = queue.add(() => {
        began = now();
        return render();
      });
      void queue.add(pause, { timeout: undefined });
      return rendered;
    },
    admit() {
      const ahead = (queue.size + queue.pending) / 2;
      if (ahead < spare || ahead * average <= maxWait) return;
      onRefused();
      throw busyPage;
    },
  };
}
