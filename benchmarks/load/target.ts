/** A server under load. */
export interface Target {
  origin: string;
  /** Its process number. */
  pid: number;
}
