import { OperatorError } from "../lib/error-message.ts";

export class DatabaseStartError extends OperatorError {
  override name = "DatabaseStartError";
}
