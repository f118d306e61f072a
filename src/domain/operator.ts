/** Visitors see all of it, on `/terms` and `/privacy`. */
export interface Operator {
  /** A person, or a company. */
  name: string;
  /** On one line. */
  address: string;
  email: string;
}
