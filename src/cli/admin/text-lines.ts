import { Refusal } from "./command.ts";

/** Characters that a line may have: several hundred times what the longest one needs. */
const LONGEST = 1_000_000;

/** A line of a text, with its number from 1. */
export interface Line {
  number: number;
  text: string;
}

/**
 * The lines of a UTF-8 text as they come in: in groups, one for each part that was read. What follows the last line break is a line
 * when it is not empty. Only `\n` ends a line: others may stand in the middle of JSON.
 * @throws Refusal of what is no UTF-8, and of endless lines
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let rest = "";
  for await (const part of bytes) {
    const texts = (rest + decode(part)).split("\n");
    rest = texts.pop() ?? "";
    if (rest.length > LONGEST) throw new Refusal(`Line ${number + texts.length + 1} is too long.`);
    yield texts.map(toLine);
  }
  rest += decode();
  if (rest !== "") yield [toLine(rest)];

  function toLine(text: string): Line {
    number++;
    return { number, text };
  }

  function decode(part?: Uint8Array): string {
    try {
      return decoder.decode(part, { stream: part !== undefined });
    } catch {
      throw new Refusal(`After line ${number} comes what is not UTF-8.`);
    }
  }
}
