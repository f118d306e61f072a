import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Change } from "./refreshing.ts";

/** What those who review are told. */
export const reviewing = z.object({
  origin: z.string(),
  people: z.array(z.object({ id: z.string(), token: z.string() })),
  showIds: z.array(z.string()),
  perSecond: z.number(),
});

const program = fileURLToPath(new URL("reviewers.ts", import.meta.url));

/** People who can be told to review, in a process of their own, which ends with the stack. The change answers how many reviews a second were stored. */
export function startReviewers(task: z.input<typeof reviewing>, running: AsyncDisposableStack): () => Change {
  const child = fork(program);
  running.defer(() => child.disconnect());
  const ended = once(child, "exit").then(() => Promise.reject(new Error("Those who review have ended")));
  ended.catch(() => {}); // of use to whoever waits for them
  child.send(task);
  return () => {
    child.send("begin");
    return {
      async stop() {
        child.send("stop");
        const [stored] = await Promise.race([once(child, "message"), ended]);
        return z.number().parse(stored);
      },
    };
  };
}
