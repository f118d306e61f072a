import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Writes to the file that `VITEST_TOTALS` names how many tests passed, and everything that failed, with its messages:
 * `{ passed, failures }`. That is more than Vitest's own report as JSON tells, which leaves out what fails outside of
 * tests: files that cannot be loaded, hooks, and errors that nobody caught.
 */
export default class VitestTotals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]): void {
    const passed = modules.reduce((sum, module) => sum + [...module.children.allTests("passed")].length, 0);
    const failures = [
      ...modules.flatMap(failuresOf),
      ...uncaught.map((error) => failure(`an error that no test caught (${error.type ?? error.name})`, [error])),
    ];
    writeFileSync(process.env.VITEST_TOTALS ?? "", JSON.stringify({ passed, failures }));
  }
}

function failuresOf(module: TestModule): string[] {
  const file = relative(process.cwd(), module.moduleId);
  const around = [module, ...module.children.allSuites()]
    .filter((part) => part.errors().length > 0)
    .map((part) => failure(part.type === "module" ? file : `${file} › ${part.fullName}`, part.errors()));
  const tests = [...module.children.allTests("failed")].map((test) =>
    failure(`${file} › ${test.fullName}`, test.result().errors ?? []),
  );
  return [...around, ...tests];
}

function failure(where: string, errors: readonly SerializedError[]): string {
  return [where, ...errors.map(({ message, stack }) => withoutPackages(stack || message))].join("\n");
}

/** The places in the project's own files are those that help. */
function withoutPackages(stack: string): string {
  return stack.replace(/\n {4}at .*node_modules.*/g, "");
}
