import type pg from "pg";
import { DatabaseStartError } from "../database-start-error.server.ts";

const QUEUE_SCHEMA = "graphile_worker";

interface Rights {
  role: string;
  database: string;
  schema: string | null;
  may_create_tables: boolean;
  queue_exists: boolean;
  may_use_queue: boolean;
  /** One of the site's tables in which it may not write. */
  forbidden_table: string | null;
}

const mayUse = (table: string) =>
  ["select", "insert", "update", "delete"]
    .map((right) => `has_table_privilege(${table}, '${right}')`)
    .join(" and ");

/** The commands need no other rights. @throws DatabaseStartError that says what to grant */
export async function checkRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Rights>(
    `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
        quote_ident(current_schema()) as schema,
        to_regclass('kysely_migration') is not null
          or coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create_tables,
        to_regnamespace($1) is not null as queue_exists,
        case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'CREATE')
          else has_schema_privilege(to_regnamespace($1), 'USAGE') and not exists (
            select from pg_class
            where relnamespace = to_regnamespace($1) and relkind = 'r' and (row_security_active(oid) or not (${mayUse("oid")}))
          ) end as may_use_queue,
        (select min(relname) from pg_class
          where relnamespace = to_regnamespace(current_schema()) and relkind = 'r' and not (${mayUse("oid")})
            and relowner = (select relowner from pg_class where oid = to_regclass('shows'))) as forbidden_table`,
    [QUEUE_SCHEMA],
  );
  const problem = rows[0] && describeMissingRight(rows[0]);
  if (problem) throw new DatabaseStartError(problem);
}

function describeMissingRight(rights: Rights): string | null {
  const { role, database, schema, may_create_tables, queue_exists, may_use_queue, forbidden_table } = rights;
  if (schema === null)
    return `The search_path of the role ${role} names no schema of the database ${database}.`;
  if (!may_create_tables) {
    return `The role ${role} may not create tables in the schema ${schema} of the database ${database}: run "grant create on schema ${schema} to ${role}" there, or make ${role} the database's owner.`;
  }
  if (forbidden_table !== null)
    return `The role ${role} may not write in the table ${forbidden_table} of the database ${database}, which belongs to another role: make ${role} its owner, and the owner of the site's other tables.`;
  if (may_use_queue) return null;
  return queue_exists
    ? `The role ${role} may not use the schema ${QUEUE_SCHEMA} in the database ${database}, which belongs to another role: make ${role} its owner, and the owner of what is in it.`
    : `The role ${role} may not create a schema in the database ${database}, which the job queue needs: run "grant create on database ${database} to ${role}", or make ${role} its owner.`;
}
