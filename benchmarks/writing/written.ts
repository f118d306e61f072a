import type { RecordedWrite } from "./statements.ts";

/** How writing reviews went; times in ms. */
export interface Written {
  perSecond: number;
  p50: number;
  p99: number;
}

/** What the clients are told to do. */
export interface ClientsTask {
  url: string;
  connections: number;
  write: RecordedWrite;
  people: { id: string; sessionId: string }[];
  showIds: string[];
}

/** Notes that nobody has written before: exactly what is stored already would change nothing. */
export function writtenNotes(who: string, turn: number): string {
  return `${who} thinks that it was like this, more or less, the ${turn}th time.`;
}
