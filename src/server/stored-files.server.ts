import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { getMimeType } from "hono/utils/mime";
import { sql } from "kysely";
import type { Logger } from "pino";
import { describeOutage } from "../database/errors.server.ts";
import { defaultDeadline, transactionBefore } from "../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../database/schema.server.ts";
import { type CachedResponse, createConstantResponse } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { handleErrors } from "../http/requests/errors.server.ts";
import { responseDeadline } from "../http/requests/response-deadline.server.ts";
import { IMMUTABLE } from "../http/requests/static-files.server.ts";
import { messageOf } from "../lib/error-message.ts";
import { digestOf } from "../lib/hash.server.ts";
import { shareRuns } from "../lib/share-runs.server.ts";

const RESPONSE_TIMEOUT_MS = 5_000;

const fileName = /^[\w.-]+$/;

const MAX_BUILDS = 3;

/** For instances of other builds. A failure is only logged, because this instance reads its files from disk. */
export async function storeClientFiles(db: Db, clientFiles: string, log: Logger): Promise<void> {
  const folder = join(clientFiles, "assets");
  const names = (await readdir(folder)).filter((name) => !/\.(br|gz)$/.test(name)).sort();
  const id = digestOf(names.join("\n"));
  try {
    await transactionBefore(db, defaultDeadline(), async (trx) => {
      if (await insertBuild(trx, id)) await insertFiles(trx, id, folder, names);
      else
        await trx.updateTable("client_builds").set({ started_at: sql`now()` }).where("id", "=", id).execute();
      const kept = trx
        .selectFrom("client_builds")
        .select("id")
        .orderBy("started_at", "desc")
        .limit(MAX_BUILDS);
      await trx.deleteFrom("client_builds").where("id", "not in", kept).execute();
    });
  } catch (error) {
    log.warn({ error: messageOf(error) }, "The files of this build could not be stored for other instances");
  }
}

async function insertBuild(trx: Trx, id: string): Promise<boolean> {
  const insert = trx.insertInto("client_builds").values({ id }).returning("id");
  return (await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst()) !== undefined;
}

async function insertFiles(trx: Trx, build_id: string, folder: string, names: string[]) {
  for (const name of names) {
    const content = await readFile(join(folder, name));
    await trx.insertInto("client_files").values({ build_id, name, content }).execute();
  }
}

/** Serves hashed files of other builds. A 404 is text: HTML must not run as a script (docs/product.md §8.9). */
export function storedFiles(db: Db, log: Logger): Hono {
  const findFile = createStoredFiles(db);
  const app = new Hono();
  app.onError(handleErrors(log, { outageReason: describeOutage }));
  app.use("/assets/*", responseDeadline(RESPONSE_TIMEOUT_MS));
  app.get("/assets/*", async (c, next) => {
    const name = c.req.path.slice("/assets/".length);
    if (!fileName.test(name)) return next();
    const file = await findFile(name);
    if (!file) return c.text("There is no such file.", 404, { "Cache-Control": "no-store" });
    return sendCached(c, file, { fileCaching: IMMUTABLE });
  });
  return app;
}

/** From memory. An unknown name reads the database, one query at a time. */
export function createStoredFiles(db: Db): (name: string) => Promise<CachedResponse | undefined> {
  let files = new Map<string, CachedResponse>();

  const reload = shareRuns(async () => {
    const isKnown = sql<boolean>`name = any(${[...files.keys()]})`;
    const rows = await db
      .selectFrom("client_files")
      .select(["name", sql<Buffer | null>`case when ${isKnown} then null else content end`.as("content")])
      .execute();
    const found = rows.flatMap(({ name, content }): [string, CachedResponse][] => {
      const type = getMimeType(name) ?? "application/octet-stream";
      const file = content ? createConstantResponse(type, Buffer.from(content)) : files.get(name);
      return file ? [[name, file]] : [];
    });
    files = new Map(found);
  });

  return async function findFile(name) {
    if (!files.has(name)) await reload();
    return files.get(name);
  };
}
