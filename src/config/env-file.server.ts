import { readFileSync } from "node:fs";
import { codeOf } from "../lib/error-message.ts";
import { ConfigError } from "./config-error.server.ts";

/**
 * Empty without a file. Unlike `util.parseEnv`, it refuses lines that it would have to cut, such as an unquoted
 * secret with a `#`. @throws ConfigError listing every bad line by its number, without values
 */
export function readEnvFile(file: string): Record<string, string> {
  try {
    return parseLines(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)), file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return {};
    if (error instanceof ConfigError || code === "") throw error;
    throw new ConfigError(
      code === "ERR_ENCODING_INVALID_ENCODED_DATA"
        ? `The settings file ${file} is not in UTF-8: save it as UTF-8.`
        : `The settings file ${file} cannot be read (${code}): see that this user may read it.`,
    );
  }
}

const nothing = /^\s*(#.*)?$/;
/** White space separates a comment from the value before it. */
const assignment =
  /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\s"'`#][^#]*)?)\s*(?:(?<=\s)#.*)?$/;

function parseLines(text: string, file: string): Record<string, string> {
  const variables: Record<string, string> = {};
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (nothing.test(line)) continue;
    const match = assignment.exec(line);
    if (match) {
      const [, name = "", double, single, backtick, bare = ""] = match;
      variables[name] = double?.replaceAll("\\n", "\n") ?? single ?? backtick ?? bare.trim();
    } else problems.push(`line ${index + 1}: ${explainLine(line)}`);
  }
  if (problems.length > 0) throw new ConfigError(`The settings file ${file} is invalid`, problems);
  return variables;
}

function explainLine(line: string): string {
  const name = /^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(line)?.[1];
  if (!name) return "must be NAME=value, or a comment that begins with #";
  return `${name} needs quotes around its whole value, on one line: it contains a # or a quote`;
}
