import type { RequestListener } from "node:http";
import pg from "pg";
import type { Logger } from "pino";
import { createSigningKeys } from "../auth/tokens/signing-keys.server.ts";
import { createCatalogue } from "../catalogue/catalogue.server.ts";
import type { Snapshot } from "../catalogue/snapshot-queries.server.ts";
import { createAwayDatabase } from "../database/away-database.server.ts";
import { createNotesCache } from "../reviews/api/notes-cache.server.ts";
import { type CreateListenerOptions, createSiteListener } from "./site-listener.server.ts";

interface OfflineOptions extends Omit<CreateListenerOptions, "parts"> {
  log: Logger;
}

/**
 * Creates the listener of a site that knows a snapshot and has no database yet: reads are answered, all else
 * is refused as in an outage (docs/product.md §8.5). It never asks a server: the tables may be of another
 * version.
 */
export async function createOfflineListener(
  snapshot: Snapshot,
  options: OfflineOptions,
): Promise<RequestListener> {
  const db = createAwayDatabase();
  const catalogue = createCatalogue();
  await catalogue.replace(async () => snapshot);
  const { listener } = createSiteListener({
    ...options,
    parts: {
      catalogue,
      db,
      notes: createNotesCache(db),
      signingKeys: createSigningKeys(db),
      onWritten() {},
      // Never connects: it is what the metrics count.
      pool: new pg.Pool({ max: 1 }),
      postgresVersion: "unknown",
    },
  });
  return listener;
}
