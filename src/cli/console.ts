/** Unlike a buffered logger, writes immediately, so that the process may exit right afterwards. */
export const print = (line: string) => void process.stdout.write(`${line}\n`);
export const printError = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Makes a text safe to print on one line of a terminal: control characters, line separators and bidirectional
 * controls are escaped as `\n` or `\u{1b}`.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
