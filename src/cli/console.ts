// A reader such as `head` may close the pipe early: the command still ends its work.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

process.stderr.on("error", () => {}); // the terminal may have been closed

/** Writes at once, unlike a buffered logger, so that the process may exit right afterwards. */
export const print = (line: string) => void process.stdout.write(`${line}\n`);
export const printError = (line: string) => void process.stderr.write(`${line}\n`);

/** Control characters and line separators become `\n` or `\u{1b}`. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** `2025-08-02T19:30Z` */
export function toMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}

export function formatCount(number: number): string {
  return number.toLocaleString("en-GB");
}

/** `1 review`, `1,234 reviews` */
export function countOf(number: number, thing: string, things = `${thing}s`): string {
  return `${formatCount(number)} ${number === 1 ? thing : things}`;
}
