import { DatabaseStartError } from "../database-start-error.server.ts";
import { createCheckClient } from "./check-client.server.ts";

/** How long the connection and the query may take, in ms. */
const TIMEOUT_MS = 5_000;

/** The schema that the job queue creates. */
const QUEUE_SCHEMA = "graphile_worker";

interface Rights {
  role: string;
  database: string;
  /** The first schema of the search path that exists. */
  schema: string | null;
  may_create_tables: boolean;
  queue_exists: boolean;
  may_use_queue: boolean;
}

/**
 * Checks that the role may have the tables of the site, and the schema of the job queue, which is created
 * after the start.
 * @throws DatabaseStartError that says what to grant
 */
export async function checkRole(url: string): Promise<void> {
  const client = createCheckClient(url, TIMEOUT_MS);
  try {
    await client.connect();
    const { rows } = await client.query<Rights>(
      `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
        quote_ident(current_schema()) as schema,
        to_regclass('kysely_migration') is not null
          or coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create_tables,
        to_regnamespace($1) is not null as queue_exists,
        case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'CREATE')
          else has_schema_privilege(to_regnamespace($1), 'USAGE') end as may_use_queue`,
      [QUEUE_SCHEMA],
    );
    const problem = rows[0] && describeMissingRight(rows[0]);
    if (problem) throw new DatabaseStartError(problem);
  } finally {
    client.connection.stream.destroy();
  }
}

function describeMissingRight(rights: Rights): string | null {
  const { role, database, schema, may_create_tables, queue_exists, may_use_queue } = rights;
  if (schema === null)
    return `The search_path of the role ${role} names no schema of the database ${database}.`;
  if (!may_create_tables) {
    return `The role ${role} may not create tables in the schema ${schema} of the database ${database}: run "grant create on schema ${schema} to ${role}" there, or make ${role} the database's owner.`;
  }
  if (may_use_queue) return null;
  return queue_exists
    ? `The role ${role} may not use the schema ${QUEUE_SCHEMA} in the database ${database}, which belongs to another role: make ${role} its owner, and the owner of what is in it.`
    : `The role ${role} may not create a schema in the database ${database}, which the job queue needs: run "grant create on database ${database} to ${role}", or make ${role} its owner.`;
}
