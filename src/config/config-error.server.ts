import { OperatorError } from "../lib/operator-error.ts";

/** The message lists every bad variable, one per line, without its value. */
export class ConfigError extends OperatorError {
  override name = "ConfigError";

  constructor(summary: string, problems: readonly string[] = []) {
    super(
      problems.length > 1 ? [`${summary}:`, ...problems].join("\n  ") : [summary, ...problems].join(": "),
    );
  }
}
