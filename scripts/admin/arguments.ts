import { parseArgs } from "node:util";
import { type Command, type Given, options } from "./command.ts";

/** The command that the arguments name, with what it is given; null when they make no sense. */
export function readArguments(
  args: string[],
  commands: ReadonlyMap<string, Command>,
): ({ command: Command } & Given) | "help" | null {
  const parsed = parse(args);
  if (!parsed) return null;
  const { help, ...given } = parsed.values;
  if (help) return "help";
  const [name = "", ...values] = parsed.positionals;
  const command = commands.get(name);
  if (!command || values.length !== command.parameters || !takes(command, Object.keys(given))) return null;
  return { command, values, options: given };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch {
    return null;
  }
}

function takes(command: Command, given: string[]): boolean {
  const known: readonly string[] = command.options;
  return given.every((name) => known.includes(name)) && !(command.needsOption && given.length === 0);
}
