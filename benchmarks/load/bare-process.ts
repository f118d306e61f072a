import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { RecordedAnswer } from "./recorded-answer.ts";
import type { Target } from "./target.ts";

export interface BareServer extends Target {
  /** From now on it sends these, in turn. */
  answerWith(answers: RecordedAnswer[]): Promise<void>;
}

const script = fileURLToPath(new URL("bare-server.ts", import.meta.url));
const address = z.tuple([z.object({ port: z.int() })]).rest(z.unknown());

/** Starts the server that the product is held against; it ends with the stack. */
export async function startBareServer(running: AsyncDisposableStack): Promise<BareServer> {
  const child = fork(script, { serialization: "advanced" });
  running.defer(() => child.disconnect());
  const [{ port }] = address.parse(await once(child, "message"));
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async answerWith(answers) {
      child.send(answers);
      await once(child, "message");
    },
  };
}
