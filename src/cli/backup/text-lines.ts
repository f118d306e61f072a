import { CommandError } from "../command.ts";

/** In UTF-16 code units: several hundred times the longest valid line. */
const MAX_LINE_LENGTH = 1_000_000;

/** A line with its number, from 1. */
export interface Line {
  number: number;
  text: string;
}

/**
 * Splits a UTF-8 stream into lines. A non-empty rest after the last line break is a line too. Only `\n` ends a
 * line: JSON may contain other line separators.
 * @throws CommandError if the stream is not UTF-8, or a line is too long
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let rest = "";
  for await (const chunk of bytes) {
    const texts = (rest + decode(chunk)).split("\n");
    rest = texts.pop() ?? "";
    for (const text of texts) yield { number: ++number, text };
    if (rest.length > MAX_LINE_LENGTH) throw new CommandError(`Line ${number + 1} is too long.`);
  }
  rest += decode();
  if (rest !== "") yield { number: ++number, text: rest };

  function decode(chunk?: Uint8Array): string {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new CommandError(`After line ${number} comes what is not UTF-8.`);
    }
  }
}
