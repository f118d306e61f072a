import { sql } from "kysely";
import type { Db } from "../../database/schema.server.ts";

export interface WriteCount {
  writes: number;
  /** Until the window ends, in seconds. */
  left: number;
}

/** In ms: the tolerated clock skew between two machines. */
const LEEWAY = 60_000;

/** A window begins with its first write. A window that ends too late starts again: a clock was ahead. */
export async function addWrites(db: Db, userId: string, windows: readonly number[], by: 1 | -1) {
  const now = Date.now();
  const isCurrent = sql`counts.expire > ${now} and counts.expire <= excluded.expire + ${LEEWAY}`;
  const { rows } = await sql<WriteCount>`
    insert into review_limits as counts (key, points, expire)
    select seconds || ':' || ${userId}, greatest(${by}::integer, 0), ${now} + seconds * 1000::bigint
    from unnest(${windows}::integer[]) as seconds
    on conflict (key) do update set
      points = case when ${isCurrent} then counts.points + ${by} else excluded.points end,
      expire = case when ${isCurrent} then counts.expire else excluded.expire end
    returning points as writes, ((expire - ${now}) / 1000.0)::float8 as left`.execute(db);
  return rows;
}

export async function deleteExpiredCounts(db: Db): Promise<void> {
  await sql`delete from review_limits
    where expire < extract(epoch from now() - interval '1 hour') * 1000`.execute(db);
}

export async function copyWriteCounts(db: Db, userId: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select split_part(key, ':', 1)::integer as within_seconds, points as writes, to_timestamp(expire / 1000.0) as until
    from review_limits where key like ${`%:${userId}`} order by 1`.execute(db);
  return rows;
}

/** They apply again if the user comes back. @param owner replaces the user's id */
export async function keepWriteCounts(db: Db, userId: string, owner: string): Promise<void> {
  await sql`
    update review_limits set key = split_part(key, ':', 1) || ':' || ${owner}
    where key like ${`%:${userId}`}`.execute(db);
}
