// Apart from what only forms need: every page loads it.

/** Part of a character class. U+2800 is the blank Braille pattern. */
export const BLANK = String.raw`\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`;

const blank = new RegExp(`^[${BLANK}]*$`, "u");

export function isBlank(text: string): boolean {
  return blank.test(text);
}
