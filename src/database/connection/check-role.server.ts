import pg from "pg";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { connectionConfig } from "./database-url.server.ts";

/** The schema that the job queue creates. */
const QUEUE_SCHEMA = "graphile_worker";

/**
 * Checks that the role may have the schema of the job queue, which is created after the start.
 * @throws DatabaseStartError that says what to grant
 */
export async function checkRole(url: string): Promise<void> {
  const client = new pg.Client({ ...connectionConfig(url), connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on("error", () => {}); // the query rejects as well
  try {
    await client.connect();
    const { rows } = await client.query<{ role: string; database: string; queue_exists: boolean; may: boolean }>(
      `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
        to_regnamespace($1) is not null as queue_exists,
        case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'CREATE')
          else has_schema_privilege(to_regnamespace($1), 'USAGE') end as may`,
      [QUEUE_SCHEMA],
    );
    const [found] = rows;
    if (!found || found.may) return;
    const { role, database } = found;
    throw new DatabaseStartError(
      found.queue_exists
        ? `The role ${role} may not use the schema ${QUEUE_SCHEMA} in the database ${database}, which belongs to another role: make ${role} its owner, and the owner of what is in it.`
        : `The role ${role} may not create a schema in the database ${database}, which the job queue needs: run "grant create on database ${database} to ${role}", or make ${role} its owner.`,
    );
  } finally {
    client.connection.stream.destroy();
  }
}
