/** Written at once, so that the process may end right after it. */
export const print = (line: string) => void process.stdout.write(`${line}\n`);
export const complain = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * A text on one line that does to a terminal nothing but be shown: control characters, line breaks and what turns the direction of
 * writing are written as `\n` or `\u{1b}`.
 */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
