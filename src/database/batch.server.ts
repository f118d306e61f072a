import type { BindConfig, Connection, Pool, PoolClient, Submittable } from "pg";

/** A statement that PostgreSQL parses and plans once a connection; each time, where it has no name. */
export interface Prepared {
  name: string;
  text: string;
}

/** A statement, and what stands in the place of its $1, $2 and so on. */
export interface Execution {
  statement: Prepared;
  values?: (string | null)[];
}

/** What each statement answered: the first column of its last row, as text; null where that is null, or there is no row. */
export type Answers = (string | null)[];

/** Asks several statements at once. */
export type AskTogether = (executions: Execution[]) => Promise<Answers>;

/**
 * Asks several statements in one piece, which the database answers in one: each of these wakes a process, here or there, which takes as much
 * of the processors as a small statement does. After one that fails none is run any more, and its error is what is told.
 */
export function askTogether(connection: PoolClient, executions: Execution[]): Promise<Answers> {
  return new Promise((resolve, reject) => {
    connection.query(new Batch(executions, (error, answers) => (error ? reject(error) : resolve(answers))));
  });
}

/** The same on any connection of a pool, which is closed when anything fails. */
export async function askAnyTogether(pool: Pool, executions: Execution[]): Promise<Answers> {
  const connection = await pool.connect();
  try {
    const answers = await askTogether(connection, executions);
    connection.release();
    return answers;
  } catch (error) {
    connection.release(true);
    throw error;
  }
}

type Answered = (error: Error | null, answers: Answers) => void;

/** The statements that each connection has parsed. */
const parsed = new WeakMap<Connection, Set<string>>();

/**
 * A query of our own, as `pg` takes them (those of pg-cursor are such, too): it is told to send itself, and then what comes for it. By
 * PostgreSQL's documentation, "Message Flow", "Extended Query" and "Pipelining".
 */
class Batch implements Submittable {
  private readonly executions: Execution[];
  private readonly callback: Answered;
  private readonly answers: Answers = [];
  private answer: string | null = null;

  constructor(executions: Execution[], callback: Answered) {
    this.executions = executions;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    const known = parsed.get(connection);
    connection.stream.cork();
    for (const { statement, values = [] } of this.executions) {
      if (!statement.name || !known?.has(statement.name)) parse(connection, statement);
      bind(connection, { statement: statement.name, values });
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields: [first = null] }: { fields: Answers }): void {
    this.answer = first;
  }

  handleCommandComplete(): void {
    this.answers.push(this.answer);
    this.answer = null;
  }

  handleReadyForQuery(connection: Connection): void {
    const known = parsed.get(connection) ?? new Set();
    for (const { statement } of this.executions) known.add(statement.name);
    parsed.set(connection, known);
    this.callback(null, this.answers);
  }

  handleError(error: Error): void {
    this.callback(error, this.answers);
  }
}

/** Of a batch that failed, some may have been parsed already: to close what is not there is no error. */
function parse(connection: Connection, { name, text }: Prepared): void {
  connection.close({ type: "S", name }, true);
  connection.parse({ name, text, types: [] }, true);
}

function bind(connection: Connection, config: BindConfig): void {
  connection.bind(config, true);
}
