import { Argument, type Command } from "commander";
import { type DecisionAction, decisionActions } from "../../reviews/moderation/decisions.server.ts";
import type { Task } from "./command.ts";
import { runDecide, runUndo } from "./decide.ts";
import { runReports } from "./reports.ts";

/** Adds the commands of moderation to the operator's commands (docs/product.md §13). */
export function addModerationCommands(program: Command, run: (task: Task) => Promise<void>): void {
  program
    .command("reports")
    .description("lists the reports that wait for a decision, gravest rule first, or shows one of them")
    .argument("[report id]")
    .option("--json", "as JSON, with all that is known of each")
    .action((id: string | undefined, { json = false }: { json?: boolean }) =>
      run((db) => runReports(db, id, json)),
    );
  program
    .command("decide")
    .description("decides on a report")
    .argument("<report id>")
    .addArgument(new Argument("<decision>").choices(decisionActions))
    .option("--reason <text>", "why, for your own records")
    .action((id: string, action: DecisionAction, { reason = null }: { reason?: string | null }) =>
      run((db) => runDecide(db, id, action, reason)),
    );
  program
    .command("undo")
    .description("takes a decision back: restores what was before, and puts the report back into the queue")
    .argument("<decision id>", "what decide printed")
    .action((id: string) => run((db) => runUndo(db, id)));
}
