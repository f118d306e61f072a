import type { Connection, Pool, PoolClient, Submittable } from "pg";

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

/** What each connection has parsed: texts by name. */
const parsed = new WeakMap<Connection, Map<string, string>>();

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
    connection.stream.cork();
    try {
      for (const execution of this.executions) send(connection, execution);
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
  }

  handleDataRow({ fields: [first = null] }: { fields: Answers }): void {
    this.answer = first;
  }

  handleCommandComplete(): void {
    this.answers.push(this.answer);
    this.answer = null;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  handleReadyForQuery(): void {
    this.callback(null, this.answers);
  }

  handleError(error: Error, connection: Connection): void {
    // How far it had come by then is not known.
    parsed.delete(connection);
    this.callback(error, this.answers);
  }
}

function send(connection: Connection, { statement: { name, text }, values = [] }: Execution): void {
  const known = parsed.get(connection) ?? new Map<string, string>();
  if (!name || known.get(name) !== text) {
    // To close what is not there is no error; to parse again what is there would be one.
    connection.close({ type: "S", name }, true);
    connection.parse({ name, text, types: [] }, true);
    parsed.set(connection, known.set(name, text));
  }
  connection.bind({ statement: name, values }, true);
  connection.execute(null, true);
}
