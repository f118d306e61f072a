/** Who runs the site and answers for it. Visitors see all of it, on `/terms` and `/privacy`. */
export interface Operator {
  /** A person, or a company. */
  name: string;
  /** The postal address, on one line. */
  address: string;
  email: string;
}
