import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Writes `{ passed, failures }` to the file of `VITEST_TOTALS`. Vitest's own JSON report has no failures outside of
 * tests: in loading files, in hooks, and uncaught errors.
 */
export default class VitestTotals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]): void {
    const passed = modules.reduce((sum, module) => sum + [...module.children.allTests("passed")].length, 0);
    const failures = [
      ...modules.flatMap(failuresOf),
      ...uncaught.map((error) =>
        failure(`an error that no test caught (${error.type ?? error.name})`, [error]),
      ),
    ];
    writeFileSync(process.env.VITEST_TOTALS ?? "", JSON.stringify({ passed, failures }));
  }
}

function failuresOf(module: TestModule): string[] {
  const file = relative(process.cwd(), module.moduleId);
  const outside = [module, ...module.children.allSuites()]
    .filter((part) => part.errors().length > 0)
    .map((part) => failure(part.type === "module" ? file : `${file} › ${part.fullName}`, part.errors()));
  const tests = [...module.children.allTests("failed")].map((test) =>
    failure(`${file} › ${test.fullName}`, test.result().errors ?? []),
  );
  return [...outside, ...tests];
}

function failure(where: string, errors: readonly SerializedError[]): string {
  return [
    where,
    ...errors.flatMap(withCauses).map(({ message, stack }) => withoutPackages(stack || message)),
  ].join("\n");
}

/** A failed property has only its counterexample; its cause has the error. */
function withCauses(error: SerializedError): SerializedError[] {
  return [error, ...(error.cause ? withCauses(error.cause as SerializedError) : [])];
}

/** Prefers frames of the project's own files. */
function withoutPackages(stack: string): string {
  return stack.replace(/\n {4}at .*node_modules.*/g, "");
}
