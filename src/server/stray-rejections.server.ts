import process from "node:process";
import type { Logger } from "pino";
import { auditStrayRejections } from "../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../database/query/transaction-before.server.ts";
import type { Db } from "../database/schema.server.ts";

/** A mistake in our code. Tests fail when it is logged. */
export const strayRejection = "A promise was rejected, and nothing handled it";

/** Without a listener, one promise that nobody handles would end the process, and browsing with it (§8.5). */
export function watchStrayRejections(db: Db, log: Logger) {
  let count = 0;
  let recorded = 0;
  const onRejection = (error: unknown) => {
    count += 1;
    log.error({ err: error }, strayRejection);
  };
  process.on("unhandledRejection", onRejection);
  return {
    count: () => count,
    /** For `admin status`. In an outage, the next call records them. */
    async record(): Promise<void> {
      const added = count - recorded;
      if (added === 0) return;
      recorded += added;
      const write = transactionBefore(db, defaultDeadline(), (trx) => auditStrayRejections(trx, added));
      await write.catch(() => {
        recorded -= added;
      });
    },
    close: () => void process.off("unhandledRejection", onRejection),
  };
}
