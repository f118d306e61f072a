import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import {
  type Decision,
  type DecisionAction,
  decideReport,
  describeOutcome,
  findLastDecision,
  refusals,
  undoDecision,
  undoRefusals,
} from "../../moderation/store/decisions.server.ts";
import {
  findOpenReports,
  findReport,
  type ReportRow,
  toSeen,
} from "../../moderation/store/report-queue.server.ts";
import { findOneUser } from "../command.ts";
import { print } from "../console.ts";
import { describeLine, describeReport, findOneReport } from "./reports.ts";

interface DecideOptions {
  reason?: string;
  /** A reporter, whose open reports are then all answered with `keep`. */
  by?: string;
  forGood?: boolean;
}

export async function decide(
  db: Db,
  reportId: string | undefined,
  action: DecisionAction | undefined,
  { reason, by, forGood }: DecideOptions,
): Promise<void> {
  if (by !== undefined) return keepAllBy(db, by, reason);
  if (reportId === undefined || action === undefined) return decideQueue(db);
  const report = await findOneReport(db, reportId);
  print(describeReport(report));
  const isForGood = forGood ?? isRemovedForGood(report, action);
  if (isForGood) print(FOR_GOOD);
  const refusal = await decideOn(db, report, { action, reason, forGood: isForGood });
  if (refusal !== null) throw new OperatorError(refusal);
}

const FOR_GOOD = "This deletes the text of the note for good: it cannot be undone.";

/** Personal data is deleted at once, unless the operator says otherwise (docs/product.md §13.11). */
function isRemovedForGood({ rule }: ReportRow, action: DecisionAction): boolean {
  return action === "remove-note" && rule === "personal_data";
}

async function keepAllBy(db: Db, emailOrId: string, reason: string | undefined): Promise<void> {
  const { id: reporterId } = await findOneUser(db, emailOrId);
  const found = await findOpenReports(db, reporterId);
  if (found.length === 0) throw new OperatorError(`No report by ${emailOrId} waits for a decision.`);
  for (const report of found) {
    print(describeLine(report));
    const refusal = await decideOn(db, report, { action: "keep", reason, dismissed: reporterId });
    if (refusal !== null) print(refusal);
  }
}

const answers = new Map<string, DecisionAction | "next" | "quit">([
  ["k", "keep"],
  ["h", "hide"],
  ["n", "remove-note"],
  ["r", "remove-review"],
  ["b", "ban"],
  ["s", "next"],
  ["q", "quit"],
]);

const QUESTION = "k keep · h hide · n remove note · r remove review · b ban · s skip · q quit";

interface KeyReader {
  /** Resolves with the next key; `q` at the end of the input. Ignores earlier keys. */
  next(): Promise<string>;
  close(): void;
}

const NO_TERMINAL =
  "decide reads keys from a terminal, and this is none. Name a report: decide <report id> <decision>.";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

function createKeyReader(input = process.stdin): KeyReader {
  if (!input.isTTY) throw new OperatorError(NO_TERMINAL);
  let resolveNext: ((key: string) => void) | null = null;
  const onKey = (key: Buffer) => resolveNext?.([CTRL_C, CTRL_D].includes(String(key)) ? "q" : String(key));
  input.setRawMode(true).on("data", onKey);
  input.on("end", () => resolveNext?.("q"));
  return {
    next: () =>
      new Promise((resolve) => {
        resolveNext = resolve;
      }),
    close: () => void input.setRawMode(false).off("data", onKey).pause(),
  };
}

export async function decideQueue(db: Db, keys: KeyReader = createKeyReader()): Promise<void> {
  try {
    const queue = await findOpenReports(db);
    for (const [index, { id }] of queue.entries()) {
      print(`\n${index + 1} of ${queue.length}`);
      if ((await askUntilDecided(db, keys, id)) === "quit") return;
    }
    print(queue.length === 0 ? "No report waits for a decision." : "That was the last one.");
  } finally {
    keys.close();
  }
}

/** Asks again if the report changed between question and answer. */
async function askUntilDecided(db: Db, keys: KeyReader, id: string): Promise<"next" | "quit"> {
  for (;;) {
    const report = await findReport(db, id);
    if (!report || report.decided_at) {
      print(`Report ${id} was decided by somebody else, or deleted.`);
      return "next";
    }
    print(`${describeReport(report)}\n${QUESTION}`);
    let answer: DecisionAction | "next" | "quit" | undefined;
    do answer = answers.get(await keys.next());
    while (!answer);
    if (answer === "next" || answer === "quit") return answer;
    const forGood = isRemovedForGood(report, answer);
    if (forGood) print(`${FOR_GOOD} Once more for yes, any other key for no.`);
    if (forGood && (await keys.next()) !== "n") continue;
    const refusal = await decideOn(db, report, { action: answer, forGood });
    if (refusal === null) return "next";
    print(refusal);
  }
}

/** Decides on the note as it was shown. Returns the reason of a refusal. */
async function decideOn(
  db: Db,
  { id, review, objection }: ReportRow,
  { reason, ...answer }: Pick<Decision, "action" | "forGood" | "dismissed"> & { reason?: string | undefined },
) {
  const seen = toSeen(review?.note_id, objection);
  const decided = await decideReport(db, { reportId: id, reason: reason?.trim() || null, seen, ...answer });
  if (typeof decided === "string") return refusals[decided];
  const outcome = await findLastDecision(db, id);
  print(
    `${outcome ? describeOutcome(outcome) : "Decided"}.${answer.forGood ? "" : ` Undo: npm run admin -- undo ${decided.decisionId}`}`,
  );
  return null;
}

export async function undo(db: Db, decisionId: string): Promise<void> {
  const undone = await undoDecision(db, decisionId);
  if (typeof undone === "string") throw new OperatorError(undoRefusals[undone]);
  print(`Took ${undone.action} back. Report ${undone.reportId} waits for a decision again.`);
}
