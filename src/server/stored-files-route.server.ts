import { Hono } from "hono";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { describeOutage } from "../database/errors.server.ts";
import type { Schema } from "../database/schema.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { handleErrors, unavailable } from "../http/requests/errors.server.ts";
import { responseDeadline } from "../http/requests/response-deadline.server.ts";
import { IMMUTABLE } from "../http/requests/static-files.server.ts";
import { createStoredFiles } from "./stored-files.server.ts";

/** How long a request may wait for the database, in ms. */
const RESPONSE_TIMEOUT = 5_000;

/** What the build names its files. */
const fileName = /^[\w.-]+$/;

/**
 * Serves the hashed files of other builds, which the database has; 404 as text if no build has the file,
 * because a browser must not take a page for a script (docs/product.md §8.9).
 */
export function storedFiles(db: Kysely<Schema>, log: Logger): Hono {
  const findFile = createStoredFiles(db);
  const app = new Hono();
  app.onError(handleErrors(log, { fallback: unavailable, outageReason: describeOutage }));
  app.use("/assets/*", responseDeadline(RESPONSE_TIMEOUT));
  app.get("/assets/*", async (c, next) => {
    const name = c.req.path.slice("/assets/".length);
    if (!fileName.test(name)) return next();
    const file = await findFile(name);
    if (!file) return c.text("There is no such file.", 404, { "Cache-Control": "no-store" });
    return sendCached(c, file, { fileCaching: IMMUTABLE });
  });
  return app;
}
